import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { plural, t, type TextKey } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { StatusMark, type Tone } from '../../ui/StatusMark.tsx';
import { PageLinks } from '../administration/PageLinks.tsx';
import { useAddress } from '../operate/use-address.ts';
import { buildsQuery, type Build } from './environments-query.ts';
import styles from './environments.module.css';

const STATUSES: Readonly<Record<Build['status'], readonly [TextKey, Tone]>> = {
  QUEUED: ['Waiting to begin', 'quiet'],
  BUILDING: ['Running', 'going'],
  DONE: ['Done', 'good'],
  FAILED: ['Failed', 'bad'],
  CANCELLED: ['Cancelled', 'quiet'],
};

const KINDS: Readonly<Record<Build['kind'], TextKey>> = {
  INDEX: 'Index',
  UNIQUE_INDEX: 'Unique index',
  NOT_NULL: 'Required',
  COMPUTED: 'Computed values',
};

/** What is built for large tables after their change has been applied. */
export function Builds({ environment }: { readonly environment: string }) {
  const [{ builds }, change] = useAddress();
  const page = Math.max(1, Number(builds) || 1);
  const query = buildsQuery(environment, page);
  const { data } = useQuery(query);
  const cache = useQueryClient();

  async function retry(pid: string) {
    try {
      await ask('POST /api/meta/builds/{pid}/retry', {
        params: { pid },
        headers: { 'x-environment': environment },
      });
    } catch (error) {
      say(shown(error).title);
    }
    await cache.invalidateQueries({ queryKey: query.queryKey });
  }

  return (
    <section className={styles.part} aria-label={t('Builds of large tables')}>
      <header>
        <h2>{t('Builds of large tables')}</h2>
      </header>
      {!data && <Skeleton width={60} />}
      {data?.total === 0 && <p className={styles.none}>{t('No large table has needed one.')}</p>}
      <ul className={styles.list}>
        {data?.records.map(({ pid, modelCode, fieldCode, kind, status, progress, failure, createdAt }) => {
          const [text, tone] = STATUSES[status];
          const percent = progress?.percent ?? null;
          return (
            <li key={pid}>
              <span className={styles.name}>
                <strong>
                  {modelCode}.{fieldCode}
                </strong>
                <span>{t(KINDS[kind])}</span>
              </span>
              <span className={styles.note}>
                <time dateTime={createdAt} title={formatWholeMoment(createdAt)}>
                  {formatMoment(createdAt)}
                </time>
              </span>
              <StatusMark tone={tone}>
                {t(text)}
                {percent !== null && ` ${percent} %`}
              </StatusMark>
              {status === 'FAILED' && <Button onClick={() => void retry(pid)}>{t('Try again')}</Button>}
              {failure !== null && <p className={styles.failure}>{failure}</p>}
            </li>
          );
        })}
      </ul>
      {data && data.total > data.pageSize && (
        <PageLinks
          text={plural(data.total, '{count} build', '{count} builds')}
          total={data.total}
          page={page}
          size={data.pageSize}
          onGo={(next) => change({ builds: next > 1 ? String(next) : undefined }, { isReplacing: true })}
        />
      )}
    </section>
  );
}
