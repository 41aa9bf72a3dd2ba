import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { findPage, type Application, type Me } from '../../app/application.ts';
import { shownInLine } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { hasEnded, isImport, type Activity, type Execution, type Import } from './activity-query.ts';
import styles from './ActivityTray.module.css';
import { commandName } from './command-name.ts';
import { ImportLine } from './ImportLine.tsx';
import { StateLine } from './StateLine.tsx';
import { canUndo, undoExecution } from './undo-execution.ts';

interface ActivityTrayProps {
  readonly application: Application;
  readonly me: Me;
  readonly activity: Activity;
  readonly onLeave: () => void;
}

/** What the caller has begun, the newest first: live while it goes on, with the way back afterwards. */
export function ActivityTray({ application, me, activity: { executions, imports }, onLeave }: ActivityTrayProps) {
  const all = [...executions, ...imports].sort((one, other) => (beganAt(one) < beganAt(other) ? 1 : -1));
  const ordered = [...all.filter((one) => !hasEnded(one)), ...all.filter(hasEnded)];
  return (
    <div className={styles.tray}>
      <h2 className={styles.title}>{t('Activity')}</h2>
      {ordered.length === 0 ? (
        <p className={styles.none}>{t('What you do appears here, and what takes longer goes on here.')}</p>
      ) : (
        <ul className={styles.list}>
          {ordered.map((one) => (
            <li key={one.pid}>
              {isImport(one) ? (
                <ImportLine application={application} item={one} onLeave={onLeave} />
              ) : (
                <ExecutionLine application={application} me={me} execution={one} onLeave={onLeave} />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function beganAt(one: Execution | Import): string {
  return (isImport(one) ? one.createdAt : one.startedAt) ?? '';
}

interface ExecutionLineProps extends Pick<ActivityTrayProps, 'application' | 'me' | 'onLeave'> {
  readonly execution: Execution;
}

function ExecutionLine({ application, me, execution, onLeave }: ExecutionLineProps) {
  const [isUndone, setUndone] = useState(false);
  const { commandCode, status, startedAt, error, targetRecordId, operation } = execution;
  const command = application.commands.find(({ code }) => code === commandCode);
  const page = command && findPage(application, command.modelCode);
  const name = commandName(application, commandCode);

  async function undo() {
    setUndone(true);
    try {
      say(await undoExecution(application, execution));
    } catch (failure) {
      say(shownInLine(failure));
      setUndone(false);
    }
  }

  const isGone = operation === 'DELETE' || operation === 'BATCH';
  return (
    <StateLine status={status} at={startedAt} note={error?.message}>
      {page && targetRecordId !== null && !isGone ? (
        <Link to="/pages/$pageKey/$pid" params={{ pageKey: page.pageKey, pid: targetRecordId }} onClick={onLeave}>
          {name}
        </Link>
      ) : (
        <span title={commandCode}>{name}</span>
      )}
      {!isUndone && canUndo(application, me, execution) && (
        <Button look="plain" aria-label={t('Undo {name}', { name })} onClick={() => void undo()}>
          {t('Undo')}
        </Button>
      )}
    </StateLine>
  );
}
