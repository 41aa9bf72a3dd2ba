import { useState, type SubmitEvent } from 'react';
import { findModel, type Application } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { textOf } from '../fields/field-kind.ts';
import { ChangedValue } from '../record/ChangedValue.tsx';
import styles from './Assistant.module.css';
import { MessageText } from './MessageText.tsx';
import type { Proposal } from './use-reply.ts';

/** They are read here. */
const NO_NAMES: ReadonlyMap<string, string> = new Map();

interface ProposalFormProps {
  readonly application: Application;
  readonly conversationId: string;
  readonly proposal: Proposal;
}

/** A command that the assistant wants to execute, field by field: only its reader lets it. */
export function ProposalForm({ application, conversationId, proposal }: ProposalFormProps) {
  const { confirmationId, commandCode, payload = {}, targetRecordId, summary } = proposal;
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isSending, setSending] = useState(false);
  const command = application.commands.find(({ code }) => code === commandCode);
  const model = command && findModel(application, command.modelCode);
  const fields = [...(command?.fields ?? []), ...(model?.fields ?? [])];
  const name = command?.name ?? commandCode;

  async function decide(confirmed: boolean) {
    setSending(true);
    setProblem(null);
    try {
      const body = { confirmationId, confirmed };
      await ask('POST /api/ai/conversations/{id}/confirm', { params: { id: conversationId }, body });
    } catch (error) {
      setProblem(shown(error));
      setSending(false);
    }
  }

  return (
    <form
      className={styles.proposal}
      aria-label={name}
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        void decide(true);
      }}
    >
      <h3>{name}</h3>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      {targetRecordId !== undefined && command && (
        <p>
          {t('On')}{' '}
          <MessageText
            application={application}
            text={targetRecordId}
            records={[{ modelCode: command.modelCode, pid: targetRecordId }]}
          />
        </p>
      )}
      {Object.keys(payload).length > 0 ? (
        <dl>
          {Object.entries(payload).map(([code, value]) => {
            const field = fields.find((one) => one.code === code);
            return (
              <div key={code}>
                <dt>{field ? fieldName(field) : code}</dt>
                <dd>{field ? <ChangedValue field={field} value={value} names={NO_NAMES} /> : textOf(value) || '–'}</dd>
              </div>
            );
          })}
        </dl>
      ) : (
        <p>{summary}</p>
      )}
      <div className={styles.actions}>
        <Button disabled={isSending} onClick={() => void decide(false)}>
          {t('Do not do it')}
        </Button>
        <Button type="submit" look="primary" disabled={isSending}>
          {name}
        </Button>
      </div>
    </form>
  );
}
