import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { meQuery, queries } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { useStreams } from '../../app/use-stream.ts';
import { WAITING } from '../../parts/approvals/approvals-query.ts';
import { FailedRead } from '../../parts/notices/FailedRead.tsx';
import { choiceKey, ConflictChoices, type Choice } from '../../parts/promotions/ConflictChoices.tsx';
import { NewerPlan } from '../../parts/promotions/NewerPlan.tsx';
import { PlanState } from '../../parts/promotions/PlanState.tsx';
import { KIND_ORDER, promotionStatus, promotionTone } from '../../parts/promotions/promotion-words.ts';
import {
  changesQuery,
  isLive,
  isOpen,
  promotionQuery,
  PROMOTIONS,
  type Change,
  type Conflict,
  type PromotionDetails,
} from '../../parts/promotions/promotions-query.ts';
import { ReviewActions } from '../../parts/promotions/ReviewActions.tsx';
import { SoakState } from '../../parts/promotions/SoakState.tsx';
import { Timeline } from '../../parts/promotions/Timeline.tsx';
import { UnitDifference } from '../../parts/promotions/UnitDifference.tsx';
import { isUndecided, UnitList } from '../../parts/promotions/UnitList.tsx';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { EnvironmentChip } from '../../ui/EnvironmentChip.tsx';
import { ScreenHead } from '../../ui/ScreenHead.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './PromotionScreen.module.css';

/** The review of a promotion: what it changes, what stands against it, who agrees, how it went. */
export function PromotionScreen() {
  const { pid } = useParams({ from: '/promotions/$pid' });
  const { data: promotion, error, refetch } = useQuery(promotionQuery(pid));
  if (error && !promotion) {
    const { title, advice } = shown(error);
    return (
      <Blank isScreen title={title} advice={advice}>
        <Button look="primary" onClick={() => void refetch()}>
          {t('Try again')}
        </Button>
      </Blank>
    );
  }
  if (!promotion) {
    return (
      <div className={styles.waiting}>
        <Skeleton width={40} />
        <Skeleton width={70} />
      </div>
    );
  }
  return <Review key={pid} promotion={promotion} failure={error} />;
}

/** Reads a promotion again when something has happened to it. */
function useLivePromotion(promotion: PromotionDetails): void {
  const { pid } = promotion;
  const hear = useCallback(() => {
    void queries.invalidateQueries({ queryKey: [...PROMOTIONS, pid] });
  }, [pid]);
  useStreams(isLive(promotion) ? [`/api/admin/promotions/${pid}/stream`] : [], hear);
}

interface ReviewProps {
  readonly promotion: PromotionDetails;
  /** Why it is not read anew. */
  readonly failure: Error | null;
}

function Review({ promotion, failure }: ReviewProps) {
  const { pid, conflicts, plan, target } = promotion;
  const cache = useQueryClient();
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: changes, error } = useQuery(changesQuery(pid, isOpen(promotion)));
  const { unit } = useSearch({ from: '/promotions/$pid' });
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const [seen, setSeen] = useState(plan);
  const former = useFormerPlan(seen, plan, setSeen);
  useLivePromotion(promotion);
  useEffect(() => {
    document.title = t('Promotion to {target}', { target });
  }, [target]);

  const chosen = unit ?? firstOf(changes ?? [], conflicts);
  const read = async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: [...PROMOTIONS, pid] }),
      cache.invalidateQueries({ queryKey: WAITING }),
    ]);
  };
  async function makePlan() {
    const resolutions = [...choices].map(([key, resolution]) => {
      const [resourcePid, type] = key.split(' ') as [string, Conflict['type']];
      return { resourcePid, type, resolution };
    });
    const { plan: planned } = await ask('POST /api/admin/promotions/{pid}/validate', {
      params: { pid },
      body: { resolutions },
    });
    setChoices(new Map());
    await read();
    // Who has asked for the newer plan need not be told of it.
    setSeen(planned);
  }
  const unread = failure ?? error;
  const open = conflicts.filter((one) => isUndecided(one) && !choices.has(choiceKey(one)));
  return (
    <div className={styles.screen}>
      <Head promotion={promotion} />
      <div className={styles.notes}>
        {unread && <FailedRead error={unread} onRetry={() => void read()} />}
        {former && plan && <NewerPlan pid={pid} former={former} plan={plan} onSeen={() => setSeen(plan)} />}
        {promotion.failureReason !== null && <p className={styles.failed}>{promotion.failureReason}</p>}
        {open.length > 0 && isOpen(promotion) && (
          <p className={styles.failed}>
            {plural(open.length, '{count} conflict must be decided', '{count} conflicts must be decided')}
          </p>
        )}
        <SoakState promotion={promotion} />
      </div>
      <div className={styles.columns}>
        <div className={styles.units}>
          {changes ? (
            <UnitList pid={pid} changes={changes} conflicts={conflicts} chosen={chosen} isPlanned={plan !== null} />
          ) : (
            !error && <Skeleton width={80} />
          )}
        </div>
        <div className={styles.difference}>
          {changes?.length === 0 && (
            <Blank title={t('Nothing differs any more')} advice={t('Source and target have the same by now.')} />
          )}
          <ConflictChoices
            conflicts={conflicts.filter(({ resourcePid }) => resourcePid === chosen)}
            choices={choices}
            onChoose={
              isOpen(promotion)
                ? (conflict, choice) => setChoices(new Map([...choices, [choiceKey(conflict), choice]]))
                : undefined
            }
          />
          {chosen !== undefined && changes?.some((one) => one.pid === chosen) && (
            <UnitDifference key={chosen} promotionPid={pid} resourcePid={chosen} />
          )}
          <div className={styles.below}>
            <PlanState promotion={promotion} />
            <Timeline entries={promotion.timeline} />
          </div>
        </div>
      </div>
      <footer className={styles.foot}>
        <ReviewActions
          promotion={promotion}
          isOwn={promotion.createdBy === me.userPid}
          choices={choices.size}
          isStale={changes?.some(({ changedSince }) => changedSince) ?? false}
          onPlan={makePlan}
          onDone={read}
        />
      </footer>
    </div>
  );
}

/** From where to where it goes, how far it is and whose it is. */
function Head({ promotion }: { readonly promotion: PromotionDetails }) {
  const { status, source, target, applyAt } = promotion;
  return (
    <ScreenHead
      back={
        <Link to="/promotions" search={{}}>
          {t('Promotions')}
        </Link>
      }
      title={
        <>
          {source !== null ? (
            <EnvironmentChip environment={source} />
          ) : promotion.rollbackOf === null ? (
            t('A file')
          ) : (
            t('Rollback')
          )}
          <span aria-label={t('to')}>→</span>
          <EnvironmentChip environment={target} />
        </>
      }
    >
      <StatusMark tone={promotionTone(status)}>{promotionStatus(status)}</StatusMark>
      {applyAt !== null && isOpen(promotion) && (
        <time dateTime={applyAt} title={formatWholeMoment(applyAt)}>
          {t('Is applied {moment}', { moment: formatMoment(applyAt) })}
        </time>
      )}
      <span className={styles.by}>
        {promotion.createdByName} ·{' '}
        <time dateTime={promotion.createdAt} title={formatWholeMoment(promotion.createdAt)}>
          {formatMoment(promotion.createdAt)}
        </time>
      </span>
    </ScreenHead>
  );
}

type Plan = PromotionDetails['plan'];

/** The plan that the reader has looked at, once another one has taken its place. */
function useFormerPlan(seen: Plan, plan: Plan, onFirst: (plan: Plan) => void): Plan {
  useEffect(() => {
    if (!seen && plan) onFirst(plan);
  }, [seen, plan, onFirst]);
  return seen && plan && seen.hash !== plan.hash ? seen : null;
}

/** What must be decided comes first. */
function firstOf(changes: readonly Change[], conflicts: readonly Conflict[]): string | undefined {
  const first = KIND_ORDER.find((kind) => changes.some(({ resourceType }) => resourceType === kind));
  return conflicts.find(isUndecided)?.resourcePid ?? changes.find(({ resourceType }) => resourceType === first)?.pid;
}
