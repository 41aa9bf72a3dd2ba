import { t } from '../../app/texts.ts';
import { Icon } from '../../ui/Icon.tsx';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { GridColumn } from './grid-column.ts';
import styles from './Grid.module.css';
import { parseSort } from './sort-order.ts';
import type { ActiveCell } from './use-grid-keys.ts';

interface GridHeadProps {
  readonly id: string;
  readonly columns: readonly GridColumn[];
  readonly template: string;
  readonly active: ActiveCell;
  readonly sort: string | undefined;
  readonly onSort: (code: string) => void;
}

/** The names of the columns; a click sorts. */
export function GridHead({ id, columns, template, active, sort, onSort }: GridHeadProps) {
  const [sorted] = parseSort(sort);
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" className={styles.row} style={{ gridTemplateColumns: template }} aria-rowindex={1}>
        <div role="columnheader" className={styles.check} aria-colindex={1}>
          <span className="visually-hidden">{t('Selected')}</span>
        </div>
        {columns.map(({ code, label, field, isSortable }, index) => {
          const order = sorted?.fieldName === code ? sorted.order : undefined;
          const isActive = active.row === -1 && active.column === index;
          return (
            <div
              key={code}
              id={`${id}--1-${index}`}
              role="columnheader"
              aria-colindex={index + 2}
              aria-sort={order === undefined ? 'none' : order === 'desc' ? 'descending' : 'ascending'}
              className={[
                styles.cell,
                FIELD_KINDS[field.type].isNumeric === true && styles.numeric,
                isActive && styles.active,
              ]
                .filter(Boolean)
                .join(' ')}
            >
              {isSortable ? (
                <button type="button" tabIndex={-1} className={styles.sort} onClick={() => onSort(code)}>
                  <span>{label}</span>
                  {order && <Icon name={order === 'desc' ? 'sortDown' : 'sortUp'} />}
                </button>
              ) : (
                <span>{label}</span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
