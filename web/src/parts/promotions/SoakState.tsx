import { Link } from '@tanstack/react-router';
import { formatMoment, formatPercent, formatWholeMoment } from '../../app/format.ts';
import { plural, t } from '../../app/texts.ts';
import { Progress } from '../../ui/Progress.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { formatDuration } from '../operate/duration.ts';
import { soakStatus } from './promotion-words.ts';
import type { PromotionDetails } from './promotions-query.ts';
import styles from './SoakState.module.css';

const SECOND_MS = 1_000;

/** How the target does since the apply, as long as it is watched. */
export function SoakState({ promotion: { soak, appliedAt } }: { readonly promotion: PromotionDetails }) {
  if (!soak || appliedAt === null) return null;
  const { status, seconds, until, seen, seenAt, maxErrorRate, minCommands, reason, rollbackPid } = soak;
  const { text, tone } = soakStatus(status);
  const passed = Date.parse(seenAt ?? appliedAt) - Date.parse(appliedAt);
  const down = [...(seen?.down ?? []), ...(seen?.away ?? [])];
  const share = seen && seen.commands > 0 ? seen.failed / seen.commands : 0;
  return (
    <section className={styles.soak} aria-label={t('The watch after the apply')}>
      <div className={styles.head} role="status">
        <h2>
          <StatusMark tone={tone}>{text}</StatusMark>
        </h2>
        {status === 'WATCHING' && (
          <time dateTime={until} title={formatWholeMoment(until)}>
            {t('ends {moment}', { moment: formatMoment(until) })}
          </time>
        )}
      </div>
      {status === 'WATCHING' && (
        <Progress
          label={t('Watched')}
          done={Math.min(Math.max(passed, 0), seconds * SECOND_MS)}
          total={seconds * SECOND_MS}
          format={(ms) => (ms < SECOND_MS ? '0 s' : formatDuration(ms))}
        />
      )}
      {reason !== null && <p className={styles.reason}>{reason}</p>}
      {seen && (
        <dl className={styles.seen}>
          <div>
            <dt>{t('Commands since then')}</dt>
            <dd>{seen.commands}</dd>
          </div>
          <div>
            <dt>{t('Failed')}</dt>
            <dd>
              {seen.failed}{' '}
              <span className={styles.share}>
                {seen.commands < minCommands
                  ? plural(minCommands, 'counts from {count} command on', 'counts from {count} commands on')
                  : t('{share}; {most} are allowed', {
                      share: formatPercent(share),
                      most: formatPercent(maxErrorRate),
                    })}
              </span>
            </dd>
          </div>
          <div>
            <dt>{t('Health')}</dt>
            <dd>
              {down.length === 0 ? (
                <StatusMark tone="good">{t('All is up')}</StatusMark>
              ) : (
                <StatusMark tone="bad">{t('Down: {parts}', { parts: down.join(', ') })}</StatusMark>
              )}
            </dd>
          </div>
        </dl>
      )}
      {rollbackPid !== null && (
        <Link to="/promotions/$pid" params={{ pid: rollbackPid }} search={{}}>
          {t('Show the rollback')}
        </Link>
      )}
    </section>
  );
}
