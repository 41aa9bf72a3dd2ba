import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatPercent } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { Progress } from '../../ui/Progress.tsx';
import { formatDuration } from '../operate/duration.ts';
import { Facts } from '../operate/Facts.tsx';
import { Found } from '../operate/Found.tsx';
import { Moment } from '../operate/Moment.tsx';
import { SidePanel } from '../operate/SidePanel.tsx';
import { SubscriptionActions } from './SubscriptionActions.tsx';
import styles from './SubscriptionPanel.module.css';
import { SubscriptionState } from './SubscriptionState.tsx';
import { metricsQuery, recoveriesQuery, type Subscription } from './webhook-queries.ts';

interface SubscriptionPanelProps {
  readonly subscription: Subscription;
  readonly onEdit: () => void;
  readonly onClose: () => void;
}

/** What a subscription listens for, how it has gone of late, and what can be done with it. */
export function SubscriptionPanel({ subscription, onEdit, onClose }: SubscriptionPanelProps) {
  const { pid, name, description, targetUrl, eventType, modelCode, filterExpression } = subscription;
  const { maxRetries, timeoutMs, rateLimitPerSecond, ordering, hasSecret, disabledReason, updatedAt } = subscription;
  const metrics = useQuery(metricsQuery(pid));
  const recoveries = useQuery(recoveriesQuery(pid));
  const { data: gone } = metrics;
  return (
    <SidePanel
      title={name}
      actions={<SubscriptionActions subscription={subscription} onEdit={onEdit} />}
      onClose={onClose}
    >
      <Facts
        facts={[
          [t('State'), <SubscriptionState key="state" of={subscription} />],
          [t('Because'), disabledReason],
          [t('Description'), description],
          [t('Event'), eventType],
          [t('Model'), modelCode],
          [t('Filter'), filterExpression],
          [t('Endpoint'), targetUrl],
          [t('Retries'), formatNumber(maxRetries)],
          [t('Waits at most'), formatDuration(timeoutMs)],
          [t('Requests a second'), rateLimitPerSecond],
          [t('Order'), ordering === 'record' ? t('One after the other, by record') : null],
          [t('Signed'), hasSecret ? t('Yes') : t('No')],
          [t('Changed'), <Moment key="at" at={updatedAt} />],
        ]}
      />
      <section className={styles.part} aria-label={t('The last 24 hours')}>
        <h3>{t('The last 24 hours')}</h3>
        <Found
          query={metrics}
          isEmpty={gone?.attempts === 0}
          none={<p className={styles.none}>{t('Nothing was sent.')}</p>}
        >
          {gone && (
            <Facts
              facts={[
                [t('Attempts'), formatNumber(gone.attempts)],
                [t('Delivered'), gone.successRate === null ? null : formatPercent(gone.successRate)],
                [t('Usual answer'), gone.durationMs.p50 === null ? null : formatDuration(gone.durationMs.p50)],
                [t('Slow answer'), gone.durationMs.p95 === null ? null : formatDuration(gone.durationMs.p95)],
                [t('Unfinished'), formatNumber(gone.unfinished)],
                [t('Given up'), formatNumber(gone.exhausted)],
              ]}
            />
          )}
        </Found>
        <p className={styles.links}>
          <Link to="/operate/deliveries" search={{ webhook: pid }}>
            {t('All deliveries')}
          </Link>
          <Link to="/operate/deliveries" search={{ webhook: pid, state: 'FAILED' }}>
            {t('Failed deliveries')}
          </Link>
        </p>
      </section>
      {recoveries.data && recoveries.data.length > 0 && (
        <section className={styles.part} aria-label={t('Recoveries')}>
          <h3>{t('Recoveries')}</h3>
          <ul className={styles.recoveries}>
            {recoveries.data.slice(0, 5).map(({ pid: recoveryPid, createdAt, resent, total }) => (
              <li key={recoveryPid}>
                <Moment at={createdAt} />
                <Progress label={t('Sent again')} done={resent} total={total} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </SidePanel>
  );
}
