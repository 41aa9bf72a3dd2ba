import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { shown } from '../../app/errors.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { may } from '../../app/permissions.ts';
import { meQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import {
  PROMOTION_STATUSES,
  promotionStatus,
  promotionTone,
  soakStatus,
} from '../../parts/promotions/promotion-words.ts';
import { promotionsQuery, type Promotion, type PromotionStatus } from '../../parts/promotions/promotions-query.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { EnvironmentChip } from '../../ui/EnvironmentChip.tsx';
import { Select } from '../../ui/Select.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './PromotionsScreen.module.css';

/** All promotions, the newest first. */
export function PromotionsScreen() {
  const { status: named, page: pageText = '1' } = useSearch({ from: '/promotions' });
  const status = PROMOTION_STATUSES.find((one) => one === named);
  const page = Number(pageText) || 1;
  const navigate = useNavigate();
  const { data: me } = useSuspenseQuery(meQuery);
  const { data, error, refetch } = useQuery(promotionsQuery(status, page));
  useEffect(() => {
    document.title = t('Promotions');
  }, []);
  const mayMake = may(me, 'admin:environments');
  const begin = mayMake && (
    <Button look="primary" onClick={() => void navigate({ to: '/promotions/new', search: {} })}>
      {t('New promotion')}
    </Button>
  );
  const problem = error && shown(error);
  const choose = (next: string) => {
    void navigate({ to: '/promotions', search: next === '' ? {} : { status: next } });
  };
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <h1>{t('Promotions')}</h1>
        <div className={styles.filter}>
          <Select
            aria-label={t('State')}
            value={status ?? ''}
            options={[['', t('All states')], ...PROMOTION_STATUSES.map((one) => [one, promotionStatus(one)] as const)]}
            onChoose={choose}
          />
        </div>
        {begin}
      </header>
      {problem ? (
        <Blank title={problem.title} advice={problem.advice}>
          <Button onClick={() => void refetch()}>{t('Try again')}</Button>
        </Blank>
      ) : !data ? (
        <div className={styles.waiting}>
          <Skeleton width={80} />
          <Skeleton width={70} />
          <Skeleton width={75} />
        </div>
      ) : data.records.length === 0 ? (
        <Blank
          title={status === undefined ? t('Nothing has been promoted yet') : t('No promotion is in this state')}
          advice={t('A promotion takes configuration from one environment to the next, all of it or none.')}
        >
          {status === undefined && begin}
        </Blank>
      ) : (
        <>
          <ol className={styles.list} aria-label={t('Promotions')}>
            {data.records.map((promotion) => (
              <li key={promotion.pid}>
                <Row promotion={promotion} />
              </li>
            ))}
          </ol>
          <Pages page={page} total={data.total} pageSize={data.pageSize} status={status} />
        </>
      )}
    </div>
  );
}

function Row({ promotion }: { readonly promotion: Promotion }) {
  const { pid, source, target, status, plan, units, createdByName, createdAt, rollbackOf, soak, conflicts } = promotion;
  const items = plan?.items ?? (units === '*' ? null : units);
  const open = conflicts.filter(({ severity, resolution }) => severity === 'blocking' && resolution === null).length;
  return (
    <Link to="/promotions/$pid" params={{ pid }} search={{}} className={styles.row}>
      <span className={styles.ends}>
        {source === null ? (
          <span>{rollbackOf === null ? t('A file') : t('Rollback')}</span>
        ) : (
          <EnvironmentChip environment={source} />
        )}
        <span aria-label={t('to')}>→</span>
        <EnvironmentChip environment={target} />
      </span>
      <span className={styles.what}>
        {items === null ? t('everything that differs') : plural(items.length, '{count} resource', '{count} resources')}
        {plan && <span className={styles.codes}>{plan.items.map(({ code }) => code).join(', ')}</span>}
      </span>
      <span className={styles.state}>
        <StatusMark tone={promotionTone(status)}>{promotionStatus(status)}</StatusMark>
        {soak && soak.status !== 'PASSED' && (
          <StatusMark tone={soakStatus(soak.status).tone}>{soakStatus(soak.status).text}</StatusMark>
        )}
        {open > 0 && status === 'DRAFT' && (
          <span className={styles.open}>{plural(open, '{count} conflict', '{count} conflicts')}</span>
        )}
      </span>
      <span className={styles.by}>
        {createdByName}
        <time dateTime={createdAt} title={formatWholeMoment(createdAt)}>
          {formatMoment(createdAt)}
        </time>
      </span>
    </Link>
  );
}

interface PagesProps {
  readonly page: number;
  readonly total: number;
  readonly pageSize: number;
  readonly status: PromotionStatus | undefined;
}

function Pages({ page, total, pageSize, status }: PagesProps) {
  const search = (next: number) => ({
    ...(status !== undefined && { status }),
    ...(next > 1 && { page: String(next) }),
  });
  return (
    <footer className={styles.foot}>
      <span>{plural(total, '{count} promotion', '{count} promotions')}</span>
      {page > 1 && (
        <Link to="/promotions" search={search(page - 1)}>
          {t('Newer')}
        </Link>
      )}
      {page * pageSize < total && (
        <Link to="/promotions" search={search(page + 1)}>
          {t('Older')}
        </Link>
      )}
    </footer>
  );
}
