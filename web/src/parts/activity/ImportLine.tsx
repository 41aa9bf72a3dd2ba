import { Link } from '@tanstack/react-router';
import type { Application } from '../../app/application.ts';
import { plural, t } from '../../app/texts.ts';
import { Progress } from '../../ui/Progress.tsx';
import { hasEnded, type Import } from './activity-query.ts';
import { importName } from './import-name.ts';
import { StateLine } from './StateLine.tsx';

interface ImportLineProps {
  readonly application: Application;
  readonly item: Import;
  readonly onLeave?: (() => void) | undefined;
}

/** An import, with how far it is. It opens where it was begun. */
export function ImportLine({ application, item, onLeave }: ImportLineProps) {
  const { pid, pageKey, status, total, done, failed, createdAt, error } = item;
  const wrong = failed > 0 ? plural(failed, '{count} row is wrong', '{count} rows are wrong') : undefined;
  return (
    <>
      <StateLine status={status} at={createdAt} note={error?.message ?? wrong}>
        <Link to="/pages/$pageKey/import" params={{ pageKey }} search={{ pid }} {...(onLeave && { onClick: onLeave })}>
          {importName(application, item)}
        </Link>
      </StateLine>
      {!hasEnded(item) && total !== null && <Progress label={t('Rows done')} done={done} total={total} />}
    </>
  );
}
