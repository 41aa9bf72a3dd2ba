import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import styles from './Found.module.css';

interface FoundProps {
  readonly query: Pick<UseQueryResult, 'data' | 'error' | 'isPending' | 'refetch'>;
  /** Said in the place of what is not there. */
  readonly none?: ReactNode;
  readonly isEmpty?: boolean;
  readonly children: ReactNode;
}

/** What was asked for, or why it is not there; above what was read before, why it is not read anew. */
export function Found({ query: { data, error, isPending, refetch }, none, isEmpty = false, children }: FoundProps) {
  if (error) {
    return (
      <>
        <div className={styles.problem}>
          <FailedRead error={error} onRetry={() => void refetch()} />
        </div>
        {data !== undefined && (isEmpty ? none : children)}
      </>
    );
  }
  if (isPending) {
    return (
      <div className={styles.waiting}>
        {[60, 72, 48, 66, 54].map((width) => (
          <Skeleton key={width} width={width} />
        ))}
      </div>
    );
  }
  return isEmpty ? none : children;
}
