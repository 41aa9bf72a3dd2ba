import { findField, isSystemField, type HistoryEntry, type Model } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { textOf } from '../fields/field-kind.ts';
import { ChangedValue } from './ChangedValue.tsx';
import styles from './ChangeList.module.css';

const NONE: ReadonlyMap<string, string> = new Map();

interface ChangeListProps {
  readonly changes: HistoryEntry['changes'];
  readonly model: Model;
  /** What people call records and people whose pids they are. */
  readonly names?: ReadonlyMap<string, string>;
}

/** What has changed of a record, by field: before and after. */
export function ChangeList({ changes, model, names = NONE }: ChangeListProps) {
  const shown = Object.entries(changes).filter(([code, { from, to }]) => !isSystemField(code) && from !== to);
  return (
    <dl className={styles.changes}>
      {shown.map(([code, { from, to }]) => {
        const field = findField(model, code);
        const show = (value: unknown) =>
          field ? <ChangedValue field={field} value={value} names={names} /> : textOf(value) || '–';
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
              <ins>{show(to)}</ins>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
