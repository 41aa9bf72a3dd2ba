import type { ReactNode } from 'react';
import styles from './LogTable.module.css';

export interface LogColumn<Row> {
  readonly label: string;
  /** Before the label. */
  readonly head?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers and times stand at the right. */
  readonly isNumber?: boolean;
  /** Left out on a phone: the open row shows it. */
  readonly isMinor?: boolean;
  /** What is left over is its own. */
  readonly isWide?: boolean;
}

interface LogTableProps<Row> {
  readonly label: string;
  readonly columns: readonly LogColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Of the row that is open beside the table. */
  readonly openKey?: string | undefined;
}

/** Rows like those of a log: dense, one line each, two on a phone. */
export function LogTable<Row>({ label, columns, rows, keyOf, openKey }: LogTableProps<Row>) {
  const look = ({ isNumber, isMinor, isWide }: LogColumn<Row>) => ({
    'data-number': isNumber || undefined,
    'data-minor': isMinor || undefined,
    'data-wide': isWide || undefined,
  });
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col" {...look(column)}>
              {column.head} {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} data-open={keyOf(row) === openKey || undefined}>
            {columns.map((column) => (
              <td key={column.label} {...look(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
