import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';
import { shown, shownInLine } from '../../app/errors.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './account.module.css';
import { deviceName } from './device-name.ts';
import { SESSIONS, sessionsQuery } from './sessions-query.ts';

/** Where the caller is logged in, each to be ended. */
export function SessionList() {
  const cache = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  if (error) {
    const { title, advice, traceId } = shown(error);
    return (
      <Problem title={title} advice={advice} traceId={traceId}>
        <Button onClick={() => void refetch()}>{t('Try again')}</Button>
      </Problem>
    );
  }
  if (!data) return <Skeleton width={60} />;

  async function end(pid: string) {
    try {
      await ask('DELETE /api/auth/sessions/{pid}', { params: { pid } });
      say(t('The session has ended'));
    } catch (failure) {
      say(shownInLine(failure));
    }
    await cache.invalidateQueries({ queryKey: SESSIONS });
  }

  const ordered = [...data].sort((one, other) => Number(other.current) - Number(one.current));
  return (
    <ul className={styles.sessions}>
      {ordered.map(({ pid, current, userAgent, ip, refreshedAt }) => {
        const device = deviceName(userAgent) ?? t('A program');
        return (
          <li key={pid}>
            <span className={styles.device} title={userAgent ?? undefined}>
              <strong>{device}</strong>
              <span>
                {ip ?? ''}
                {ip !== null && ' · '}
                <time dateTime={refreshedAt} title={formatWholeMoment(refreshedAt)}>
                  {t('seen {moment}', { moment: formatMoment(refreshedAt) })}
                </time>
              </span>
            </span>
            {current ? (
              <span className={styles.here}>{t('This session')}</span>
            ) : (
              <Button aria-label={t('End the session of {device}', { device })} onClick={() => void end(pid)}>
                {t('End')}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
