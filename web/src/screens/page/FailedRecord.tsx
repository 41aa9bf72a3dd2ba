import { t } from '../../app/texts.ts';
import type { FailedPartProps } from '../../parts/loading/lazy-part.tsx';
import { FailedRead } from '../../parts/notices/FailedRead.tsx';
import { Button } from '../../ui/Button.tsx';
import styles from './PageScreen.module.css';

/** In the place of an open record whose program could not be loaded. */
export function FailedRecord({ error, onRetry, onClose }: FailedPartProps & { readonly onClose: () => void }) {
  return (
    <section className={styles.panel} aria-label={t('Open record')}>
      <FailedRead error={error} onRetry={onRetry} />
      <div>
        <Button onClick={onClose}>{t('Close')}</Button>
      </div>
    </section>
  );
}
