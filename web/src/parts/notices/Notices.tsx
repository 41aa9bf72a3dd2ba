import { useSyncExternalStore } from 'react';
import { currentNotices, dismiss, subscribeNotices } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import styles from './Notices.module.css';

/** What was just done, and the way back as long as there is one. */
export function Notices() {
  const notices = useSyncExternalStore(subscribeNotices, currentNotices);
  return (
    <div className={styles.notices} role="status">
      {notices.map(({ id, text, undo }) => (
        <div key={id} className={styles.notice}>
          <p>{text}</p>
          {undo && (
            <Button
              look="plain"
              className={styles.undo}
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              {t('Undo')}
            </Button>
          )}
          <Button look="plain" label={t('Dismiss')} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </Button>
        </div>
      ))}
    </div>
  );
}
