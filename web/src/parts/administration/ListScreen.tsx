import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './ListScreen.module.css';

interface ListScreenProps {
  readonly title: string;
  /** Search, filters, and what is made here. */
  readonly tools?: ReactNode;
  readonly found: Pick<UseQueryResult, 'error' | 'isPending' | 'refetch'>;
  readonly isEmpty: boolean;
  /** What this is, and how to begin. */
  readonly none: { readonly title: string; readonly advice?: string };
  readonly children: ReactNode;
}

/** A screen with a list: its head stays, and it has its own states. */
export function ListScreen({
  title,
  tools,
  found: { error, isPending, refetch },
  isEmpty,
  none,
  children,
}: ListScreenProps) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  const problem = error && shown(error);
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <h1>{title}</h1>
        {tools}
      </header>
      {problem ? (
        <Blank title={problem.title} advice={problem.advice}>
          <Button onClick={() => void refetch()}>{t('Try again')}</Button>
        </Blank>
      ) : isPending ? (
        <div className={styles.waiting}>
          <Skeleton width={80} />
          <Skeleton width={70} />
          <Skeleton width={75} />
        </div>
      ) : isEmpty ? (
        <Blank {...none} />
      ) : (
        children
      )}
    </div>
  );
}
