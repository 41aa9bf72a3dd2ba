import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import styles from './MoreRows.module.css';

interface MoreRowsProps {
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}

/** Older rows, when they are wanted. */
export function MoreRows({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: MoreRowsProps) {
  if (!hasNextPage) return null;
  return (
    <p className={styles.more}>
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t('Show older ones')}
      </Button>
    </p>
  );
}
