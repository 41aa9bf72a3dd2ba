import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import styles from './PageLinks.module.css';

interface PageLinksProps {
  /** How many there are in all, in words. */
  readonly total: string;
  readonly page: number;
  readonly isLast: boolean;
  readonly onGo: (page: number) => void;
}

/** The end of a list that comes by pages. */
export function PageLinks({ total, page, isLast, onGo }: PageLinksProps) {
  return (
    <footer className={styles.foot}>
      <span>{total}</span>
      {page > 1 && <Button onClick={() => onGo(page - 1)}>{t('Previous page')}</Button>}
      {!isLast && <Button onClick={() => onGo(page + 1)}>{t('Next page')}</Button>}
    </footer>
  );
}
