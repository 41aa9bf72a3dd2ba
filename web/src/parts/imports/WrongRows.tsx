import { useQuery } from '@tanstack/react-query';
import { t } from '../../app/texts.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import type { Import } from '../activity/activity-query.ts';
import { linesQuery, problemsQuery, type RowProblem } from './import-query.ts';
import styles from './WrongRows.module.css';

interface WrongRowsProps {
  readonly item: Import;
  readonly errorFilePid: string;
}

/** The rows that are wrong, as they stand in the file, with the problem at its cell. */
export function WrongRows({ item, errorFilePid }: WrongRowsProps) {
  const { data: problems } = useQuery(problemsQuery(errorFilePid));
  const isTable = item.format === 'csv';
  const { data: lines } = useQuery({ ...linesQuery(item.filePid), enabled: isTable });
  if (!problems || (isTable && lines === undefined)) return <Skeleton width={70} />;
  const byRow = Map.groupBy(problems, ({ row }) => row);
  const names = lines?.find((cells) => cells.some((cell) => cell.trim() !== ''))?.map((name) => name.trim());
  const columns = names ?? [...new Set(problems.map(({ column }) => column))].filter((column) => column !== '');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={t('Wrong rows')}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('Row')}</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...byRow].map(([row, told]) => (
            <Row key={row} row={row} told={told} columns={columns} cells={lines?.[row - 1]} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly row: number;
  readonly told: readonly RowProblem[];
  readonly columns: readonly string[];
  readonly cells: readonly string[] | undefined;
}

function Row({ row, told, columns, cells }: RowProps) {
  const ofRow = told.filter(({ column }) => !columns.includes(column));
  return (
    <>
      <tr>
        <th scope="row">{row}</th>
        {columns.map((name, index) => {
          const problem = told.find(({ column }) => column === name);
          return (
            <td key={name} className={problem && styles.wrong}>
              {cells?.[index] ?? ''}
              {problem && <span className={styles.problem}>{problem.message}</span>}
            </td>
          );
        })}
      </tr>
      {ofRow.length > 0 && (
        <tr>
          <td />
          <td colSpan={Math.max(1, columns.length)} className={styles.wrong}>
            {ofRow.map(({ column, message }) => (
              <span key={`${column} ${message}`} className={styles.problem}>
                {column === '' ? message : `${column}: ${message}`}
              </span>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}
