import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { PAGE_SIZE } from './administration-query.ts';
import styles from './PageLinks.module.css';

interface PageLinksProps {
  /** How many there are in all, in words. */
  readonly text: string;
  readonly total: number;
  readonly page: number;
  /** Of a page. */
  readonly size?: number;
  readonly onGo: (page: number) => void;
}

/** The end of a list that comes by pages. */
export function PageLinks({ text, total, page, size = PAGE_SIZE, onGo }: PageLinksProps) {
  return (
    <footer className={styles.foot}>
      <span>{text}</span>
      {page > 1 && <Button onClick={() => onGo(page - 1)}>{t('Previous page')}</Button>}
      {page * size < total && <Button onClick={() => onGo(page + 1)}>{t('Next page')}</Button>}
    </footer>
  );
}
