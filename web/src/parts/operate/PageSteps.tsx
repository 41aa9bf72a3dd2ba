import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import styles from './MoreRows.module.css';

interface PageStepsProps {
  readonly page: number;
  readonly pages: number;
  readonly onGo: (page: number) => void;
}

/** From page to page of a list that is counted. */
export function PageSteps({ page, pages, onGo }: PageStepsProps) {
  if (pages < 2) return null;
  return (
    <p className={styles.more}>
      <Button disabled={page <= 1} onClick={() => onGo(page - 1)}>
        {t('Newer')}
      </Button>{' '}
      {t('{page} of {pages}', { page, pages })}{' '}
      <Button disabled={page >= pages} onClick={() => onGo(page + 1)}>
        {t('Older')}
      </Button>
    </p>
  );
}
