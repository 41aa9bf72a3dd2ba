import { Link } from '@tanstack/react-router';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { actionText } from './promotion-words.ts';
import type { PromotionDetails } from './promotions-query.ts';
import styles from './Timeline.module.css';

type Entry = PromotionDetails['timeline'][number];

/** What has happened to a promotion, the newest first. */
export function Timeline({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <section aria-label={t('What has happened')}>
      <h2 className={styles.title}>{t('What has happened')}</h2>
      <ol className={styles.entries}>
        {entries.toReversed().map((entry, index) => {
          const { at, actor, action, reason, error } = entry;
          const { promotionPid } = entry as { readonly promotionPid?: unknown };
          return (
            <li key={`${at} ${action} ${entries.length - index}`} data-bad={error !== null || undefined}>
              <p>
                <strong>{actor.username}</strong> {actionText(action)}{' '}
                <time dateTime={at} title={formatWholeMoment(at)}>
                  {formatMoment(at)}
                </time>
                {typeof promotionPid === 'string' && (
                  <>
                    {' · '}
                    <Link to="/promotions/$pid" params={{ pid: promotionPid }} search={{}}>
                      {t('Show the rollback')}
                    </Link>
                  </>
                )}
              </p>
              {reason !== null && <p className={styles.reason}>{reason}</p>}
              {error && <p className={styles.error}>{error.message}</p>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
