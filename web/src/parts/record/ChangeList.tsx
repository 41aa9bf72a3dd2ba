import { findField, isSystemField, type HistoryEntry, type Model } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import styles from './ChangeList.module.css';

interface ChangeListProps {
  readonly changes: HistoryEntry['changes'];
  readonly model: Model;
}

/** What has changed of a record, by field: before and after. */
export function ChangeList({ changes, model }: ChangeListProps) {
  const shown = Object.entries(changes).filter(([code, { from, to }]) => !isSystemField(code) && from !== to);
  return (
    <dl className={styles.changes}>
      {shown.map(([code, { from, to }]) => {
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
