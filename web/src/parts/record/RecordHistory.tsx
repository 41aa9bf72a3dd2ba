import { useQuery } from '@tanstack/react-query';
import { findField, isSystemField, type HistoryEntry, type Model } from '../../app/application.ts';
import { shown } from '../../app/errors.ts';
import { fieldName } from '../../app/field-names.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { historyQuery } from './record-query.ts';
import styles from './RecordHistory.module.css';

interface RecordHistoryProps {
  readonly pageKey: string;
  readonly model: Model;
  readonly pid: string;
}

const ACTIONS: Readonly<Record<HistoryEntry['action'], TextKey>> = {
  CREATE: 'created it',
  UPDATE: 'changed it',
  DELETE: 'deleted it',
  RESTORE: 'restored it',
};

/** Who changed what, the newest first. */
export function RecordHistory({ pageKey, model, pid }: RecordHistoryProps) {
  const { data, error, refetch } = useQuery(historyQuery(pageKey, pid));
  if (error) {
    const { title, advice } = shown(error);
    return (
      <Blank title={title} advice={advice}>
        <Button onClick={() => void refetch()}>{t('Try again')}</Button>
      </Blank>
    );
  }
  if (!data) return <Skeleton width={60} />;
  if (data.records.length === 0) return <Blank title={t('No change is recorded')} />;
  return (
    <ol className={styles.entries}>
      {data.records.map((entry) => (
        <li key={`${entry.version} ${entry.at}`} className={styles.entry}>
          <p className={styles.what}>
            <strong>{entry.actor.username ?? entry.actor.userPid}</strong>
            <span>{t(ACTIONS[entry.action])}</span>
            <time className={styles.when} dateTime={entry.at} title={formatWholeMoment(entry.at)}>
              {formatMoment(entry.at)}
            </time>
          </p>
          <Changes entry={entry} model={model} />
        </li>
      ))}
    </ol>
  );
}

function Changes({ entry, model }: { readonly entry: HistoryEntry; readonly model: Model }) {
  const changes = Object.entries(entry.changes).filter(([code, { from, to }]) => !isSystemField(code) && from !== to);
  return (
    <dl>
      {changes.map(([code, { from, to }]) => {
        const field = findField(model, code);
        const { toText = textOf } = field ? FIELD_KINDS[field.type] : {};
        const show = (value: unknown): string => (field ? toText(value, field) : textOf(value));
        return (
          <div key={code} className={styles.change}>
            <dt>{field ? fieldName(field) : code}</dt>
            <dd>
              {from !== null && from !== undefined && (
                <>
                  <del>{show(from)}</del>
                  {' → '}
                </>
              )}
              <ins>{show(to) || '–'}</ins>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
