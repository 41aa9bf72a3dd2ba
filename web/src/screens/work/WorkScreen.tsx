import { useQuery, useSuspenseQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { shown } from '../../app/errors.ts';
import { applicationQuery, meQuery, queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { activityQuery } from '../../parts/activity/activity-query.ts';
import { ImportLine } from '../../parts/activity/ImportLine.tsx';
import { WAITING, waitingQuery } from '../../parts/approvals/approvals-query.ts';
import { PolicyCard } from '../../parts/approvals/PolicyCard.tsx';
import { PromotionCard } from '../../parts/approvals/PromotionCard.tsx';
import { RunApprovalCard } from '../../parts/approvals/RunApprovalCard.tsx';
import { UnlockCard } from '../../parts/approvals/UnlockCard.tsx';
import { RunList } from '../../parts/runs/RunList.tsx';
import { runsQuery } from '../../parts/runs/runs-query.ts';
import { StartRun } from '../../parts/runs/StartRun.tsx';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './WorkScreen.module.css';

/** What waits for the caller, and what they have begun. */
export function WorkScreen() {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const waiting = useQuery(waitingQuery(me));
  const runs = useQuery(runsQuery(me));
  const activity = useQuery(activityQuery(me));
  useEffect(() => {
    document.title = t('My work');
  }, []);
  const { runs: asked = [], unlocks = [], policies = [], promotions = [] } = waiting.data ?? {};
  return (
    <div className={styles.screen}>
      <h1 className={styles.title}>{t('My work')}</h1>
      <div className={styles.columns}>
        <Part
          title={t('Waiting for me')}
          found={waiting}
          isEmpty={waiting.data?.total === 0}
          none={t('Nothing waits for your decision.')}
        >
          {unlocks.map((environment) => (
            <UnlockCard key={environment.pid} environment={environment} />
          ))}
          {policies.map((environment) => (
            <PolicyCard key={environment.pid} environment={environment} />
          ))}
          {promotions.map((promotion) => (
            <PromotionCard key={promotion.pid} promotion={promotion} />
          ))}
          {asked.map((approval) => (
            <RunApprovalCard
              key={`${approval.runPid} ${approval.step}`}
              application={application}
              approval={approval}
            />
          ))}
        </Part>
        <div className={styles.started}>
          <Part
            title={t('Runs I started')}
            action={<StartRun application={application} />}
            found={runs}
            isEmpty={runs.data?.length === 0}
            none={t('You have not started a run.')}
          >
            <RunList
              application={application}
              runs={runs.data ?? []}
              // What it waits for may be asked of the caller.
              onTurn={() => void queries.invalidateQueries({ queryKey: WAITING })}
            />
          </Part>
          <Part
            title={t('Imports I started')}
            found={activity}
            isEmpty={activity.data?.imports.length === 0}
            none={t('You have not imported a file.')}
          >
            <ul className={styles.list}>
              {(activity.data?.imports ?? []).map((item) => (
                <li key={item.pid}>
                  <ImportLine application={application} item={item} />
                </li>
              ))}
            </ul>
          </Part>
        </div>
      </div>
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly found: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>;
  readonly isEmpty: boolean;
  readonly none: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the screen with its own states. */
function Part({ title, found: { data, error, refetch }, isEmpty, none, action, children }: PartProps) {
  // A comment that is half written stays, whatever a later read says.
  const problem = data === undefined && error ? shown(error) : null;
  return (
    <section className={styles.part} aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {action}
      </div>
      {problem ? (
        <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId}>
          <Button onClick={() => void refetch()}>{t('Try again')}</Button>
        </Problem>
      ) : data === undefined ? (
        <div className={styles.waiting}>
          <Skeleton width={70} />
          <Skeleton width={45} />
        </div>
      ) : isEmpty ? (
        <p className={styles.none}>{none}</p>
      ) : (
        children
      )}
    </section>
  );
}
