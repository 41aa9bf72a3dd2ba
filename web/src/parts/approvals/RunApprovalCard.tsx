import { Link } from '@tanstack/react-router';
import { findModel, findPage, nameField, type Application } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { RecordName } from '../fields/RecordName.tsx';
import type { RunApproval } from './approvals-query.ts';
import { Decision } from './Decision.tsx';

interface RunApprovalCardProps {
  readonly application: Application;
  readonly approval: RunApproval;
}

/** A step of an automation that asks the caller. */
export function RunApprovalCard({ application, approval }: RunApprovalCardProps) {
  const { runPid, automationCode, step, message, record, since, due, mayDecide } = approval;
  const name = application.automations.find(({ code }) => code === automationCode)?.name ?? automationCode;
  const said = typeof message === 'string' ? message : message === null ? '' : JSON.stringify(message);
  return (
    <Decision
      title={said === '' ? name : said}
      approve={t('Approve')}
      reject={t('Reject')}
      reason={mayDecide ? undefined : t('You began it: someone else decides.')}
      onDecide={async (approved, comment) => {
        await ask('POST /api/automations/runs/{runPid}/approve', {
          params: { runPid },
          body: { approved, step, comment: comment === '' ? null : comment },
        });
      }}
    >
      <p>
        {t('{name} asked', { name })}{' '}
        <time dateTime={since} title={formatWholeMoment(since)}>
          {formatMoment(since)}
        </time>
        {due !== null && (
          <>
            {' · '}
            <time dateTime={due} title={formatWholeMoment(due)}>
              {t('due {moment}', { moment: formatMoment(due) })}
            </time>
          </>
        )}
      </p>
      {record && <AboutRecord application={application} {...record} />}
    </Decision>
  );
}

interface AboutRecordProps {
  readonly application: Application;
  readonly modelCode: string;
  readonly pid: string;
}

/** The record that it is about, by its name. */
function AboutRecord({ application, modelCode, pid }: AboutRecordProps) {
  const page = findPage(application, modelCode);
  const model = findModel(application, modelCode);
  if (!page || !model) return null;
  return (
    <p>
      {model.name}:{' '}
      <Link to="/pages/$pageKey/$pid" params={{ pageKey: page.pageKey, pid }}>
        <RecordName pageKey={page.pageKey} pid={pid} field={nameField(model)} />
      </Link>
    </p>
  );
}
