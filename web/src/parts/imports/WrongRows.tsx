import { useQuery } from '@tanstack/react-query';
import { t } from '../../app/texts.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import { problemsQuery, type RowProblem } from './import-query.ts';
import styles from './WrongRows.module.css';

/** The rows that are wrong, as they stand in the file, with the problem at its cell. */
export function WrongRows({ importPid }: { readonly importPid: string }) {
  const { data: problems, error, refetch } = useQuery(problemsQuery(importPid));
  if (error) return <FailedRead error={error} onRetry={() => void refetch()} />;
  if (!problems) return <Skeleton width={70} />;
  const byRow = Map.groupBy(problems, ({ row }) => row);
  const columns = [...new Set(problems.flatMap(({ given }) => Object.keys(given ?? {})))];
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
            <Row key={row} row={row} told={told} columns={columns} />
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
}

function Row({ row, told, columns }: RowProps) {
  const given = told[0]?.given ?? {};
  const ofRow = told.filter(({ column }) => column === null || !columns.includes(column));
  return (
    <>
      <tr>
        <th scope="row">{row}</th>
        {columns.map((name) => {
          const problem = told.find(({ column }) => column === name);
          return (
            <td key={name} className={problem && styles.wrong}>
              {given[name] ?? ''}
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
                {column === null ? message : `${column}: ${message}`}
              </span>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}
