import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './Found.module.css';

interface FoundProps {
  readonly query: Pick<UseQueryResult, 'error' | 'isPending' | 'refetch'>;
  /** Said in the place of what is not there. */
  readonly none?: ReactNode;
  readonly isEmpty?: boolean;
  readonly children: ReactNode;
}

/** What was asked for, or why it is not there. */
export function Found({ query: { error, isPending, refetch }, none, isEmpty = false, children }: FoundProps) {
  if (error) {
    const { title, advice, traceId } = shown(error);
    return (
      <div className={styles.problem}>
        <Problem title={title} advice={advice} traceId={traceId}>
          <Button onClick={() => void refetch()}>{t('Try again')}</Button>
        </Problem>
      </div>
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
