import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import type { Command, Field, Model, Page, RecordData } from '../../app/application.ts';
import { useKeptState } from '../../app/kept-state.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { dayIn } from '../../app/wall-time.ts';
import { Button } from '../../ui/Button.tsx';
import { focusControl } from '../../ui/focus-control.ts';
import { Problem } from '../../ui/Problem.tsx';
import { recordsKey } from '../records/record-list.ts';
import { commandFields, isKnownLater, operationFor } from './command-fields.ts';
import styles from './CommandForm.module.css';
import { ConflictNote } from './ConflictNote.tsx';
import { FieldOfCommand } from './FieldOfCommand.tsx';
import { problemsOf, type FormProblems } from './form-problems.ts';
import { newKey, runCommand } from './run-command.ts';
import { TransitionNote } from './TransitionNote.tsx';

type Values = Readonly<Record<string, unknown>>;

export interface CommandFormProps {
  readonly page: Page;
  readonly model: Model;
  readonly command: Command;
  /** What the command works on; null: it makes something new. */
  readonly record: RecordData | null;
  /** What something new begins with, where it is made at a place that says so. */
  readonly given?: Values;
  readonly onDone: (result: unknown) => void;
  readonly onCancel: () => void;
}

interface Typed {
  /** The record from which it begins. */
  readonly base: RecordData | null;
  readonly changes: Values;
}

/** The form of a command, made of its model. The server judges what is typed; nothing of it is lost. */
export function CommandForm({ page, model, command, record, given = {}, onDone, onCancel }: CommandFormProps) {
  const cache = useQueryClient();
  const operation = operationFor(command, record !== null);
  const isUpdate = operation === 'UPDATE' && record !== null;
  // A transition changes the record by itself.
  const isEdit = isUpdate && command.transition === undefined;
  const fields = commandFields(command, model, page);
  const name = `${page.pageKey} ${command.code} ${record?.pid ?? JSON.stringify(given)}`;
  const [{ base, changes }, setTyped] = useKeptState<Typed>(name, { base: record, changes: given });
  const [problems, setProblems] = useState<FormProblems | null>(null);
  const [isSending, setSending] = useState(false);
  // The same for repeats of the same intention.
  const key = useRef(newKey());
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusControl(() => form.current), []);
  const valueOf = (field: Field): unknown => {
    const { code } = field;
    if (code in changes) return changes[code];
    return isUpdate ? base?.[code] : knownDefault(field, cache.getQueryData(applicationQuery.queryKey)?.timeZone);
  };

  function change(code: string, value: unknown) {
    key.current = newKey();
    setProblems((before) => before && { ...before, fields: { ...before.fields, [code]: undefined } });
    setTyped((before) => ({ ...before, changes: { ...before.changes, [code]: value } }));
  }

  async function send(event: SubmitEvent) {
    event.preventDefault();
    setSending(true);
    setProblems(null);
    try {
      // Nothing is stored for nothing; where there is a default, it takes a null.
      const isSent = ({ code, default: initial }: Field): boolean =>
        code in changes && (isUpdate || changes[code] !== null || initial !== undefined);
      const payload = Object.fromEntries(fields.filter(isSent).map(({ code }) => [code, changes[code]]));
      const sent = await runCommand({ command, operation, payload, record: base, idempotencyKey: key.current });
      await cache.invalidateQueries({ queryKey: recordsKey(page.pageKey) });
      if (sent.isDone) onDone(sent.result);
      else onCancel();
    } catch (error) {
      setProblems(await problemsOf(error, { page, fields, record: base }));
      setSending(false);
    }
  }

  return (
    <form
      ref={form}
      className={styles.form}
      onSubmit={(event) => void send(event)}
      noValidate
      aria-label={command.name}
    >
      {isEdit && <p className={styles.title}>{command.name}</p>}
      {record && command.transition && <TransitionNote model={model} record={record} {...command.transition} />}
      {problems?.general && (
        <Problem title={problems.general.title} advice={problems.general.advice} traceId={problems.general.traceId} />
      )}
      {problems?.newer && base && (
        <ConflictNote
          fields={fields}
          base={base}
          newer={problems.newer}
          changes={changes}
          onResolve={(kept) => {
            key.current = newKey();
            setTyped({ base: problems.newer ?? base, changes: kept });
            setProblems(null);
          }}
        />
      )}
      <div className={styles.fields}>
        {fields.map((field) => (
          <FieldOfCommand
            key={`${field.code} ${String(base?.version)}`}
            field={field}
            value={valueOf(field)}
            onChange={(value) => change(field.code, value)}
            pageKey={page.pageKey}
            declaredBy={command.fields && { kind: 'command', code: command.code }}
            record={base}
            problems={problems?.fields ?? {}}
          />
        ))}
      </div>
      <div className={styles.actions}>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" disabled={isSending || (isEdit && Object.keys(changes).length === 0)}>
          {isEdit ? t('Save') : command.name}
        </Button>
      </div>
    </form>
  );
}

/** What a create stores by itself; `$now` and the like are known then. */
function knownDefault({ default: initial = null }: Field, zone: string | undefined): unknown {
  if (initial === '$today' && zone !== undefined) return dayIn(zone);
  return isKnownLater(initial) ? null : initial;
}
