import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { queries } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { allDifferences, DifferenceChoice } from '../../parts/promotions/DifferenceChoice.tsx';
import { FailedRead } from '../../parts/notices/FailedRead.tsx';
import { environmentsQuery, type Environment } from '../../parts/environments/environments-query.ts';
import { differencesQuery, PROMOTIONS } from '../../parts/promotions/promotions-query.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ScreenHead } from '../../ui/ScreenHead.tsx';
import { Select } from '../../ui/Select.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './NewPromotionScreen.module.css';

/** From where, to where, and what goes. */
export function NewPromotionScreen() {
  const { data: environments, error, refetch } = useQuery(environmentsQuery);
  useEffect(() => {
    document.title = t('New promotion');
  }, []);
  return (
    <div className={styles.screen}>
      <ScreenHead
        back={
          <Link to="/promotions" search={{}}>
            {t('Promotions')}
          </Link>
        }
        title={t('New promotion')}
      />
      {error && <FailedRead error={error} onRetry={() => void refetch()} />}
      {environments ? <Ends environments={environments} /> : !error && <Skeleton width={40} />}
    </div>
  );
}

function Ends({ environments }: { readonly environments: readonly Environment[] }) {
  const [first, second] = environments;
  const { source = first?.code ?? '', target = second?.code ?? '' } = useSearch({ from: '/promotions/new' });
  const navigate = useNavigate();
  const go = (search: { source: string; target: string }) =>
    void navigate({ to: '/promotions/new', search, replace: true });
  const options = environments.map(({ code, name }) => [code, name === code ? code : `${name} (${code})`] as const);
  return (
    <>
      <div className={styles.ends}>
        <Labelled label={t('From')}>
          {(ties) => (
            <Select {...ties} value={source} options={options} onChoose={(code) => go({ source: code, target })} />
          )}
        </Labelled>
        <Labelled label={t('To')}>
          {(ties) => (
            <Select {...ties} value={target} options={options} onChoose={(code) => go({ source, target: code })} />
          )}
        </Labelled>
      </div>
      {source === target ? (
        <Blank title={t('Choose two environments')} />
      ) : (
        <Choice key={`${source} ${target}`} environments={environments} source={source} target={target} />
      )}
    </>
  );
}

interface ChoiceProps {
  readonly environments: readonly Environment[];
  readonly source: string;
  readonly target: string;
}

/** More are promoted as everything that differs. */
const MAX_UNITS = 1_000;

function Choice({ environments, source, target }: ChoiceProps) {
  const { data, error, refetch } = useQuery(differencesQuery(source, target));
  const navigate = useNavigate();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [autoInclude, setAutoInclude] = useState(true);
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isSending, setSending] = useState(false);
  const choose = useCallback((pids: readonly string[], isChosen: boolean) => {
    setLeft((before) => {
      const after = new Set(before);
      for (const pid of pids) {
        if (isChosen) after.delete(pid);
        else after.add(pid);
      }
      return after;
    });
  }, []);
  if (error) return <FailedRead error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width={70} />;
  const all = allDifferences(data);
  if (all.length === 0) {
    return <Blank title={t('Nothing differs')} advice={t('{target} has all that {source} has.', { source, target })} />;
  }
  const units = all.filter(({ pid }) => !left.has(pid));

  async function make() {
    setSending(true);
    setProblem(null);
    try {
      const idOf = (code: string) => environments.find((one) => one.code === code)?.id ?? 0;
      const isAll = units.length === all.length && units.length > MAX_UNITS;
      const { pid } = await ask('POST /api/admin/promotions', {
        body: {
          sourceEnvId: idOf(source),
          targetEnvId: idOf(target),
          units: isAll ? '*' : units.map(({ resourceType, pid: resourcePid }) => ({ resourceType, resourcePid })),
        },
      });
      // A plan that cannot be made now can be made on the next screen.
      await ask('POST /api/admin/promotions/{pid}/validate', { params: { pid }, body: { autoInclude } }).catch(
        () => null,
      );
      await queries.invalidateQueries({ queryKey: PROMOTIONS });
      await navigate({ to: '/promotions/$pid', params: { pid }, search: {} });
    } catch (failure) {
      setProblem(shown(failure));
      setSending(false);
    }
  }

  const chosen = new Set(units.map(({ pid }) => pid));
  return (
    <>
      <DifferenceChoice differences={all} chosen={chosen} onChange={choose} />
      <footer className={styles.foot}>
        {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
        <div className={styles.actions}>
          <label>
            <input type="checkbox" checked={autoInclude} onChange={(event) => setAutoInclude(event.target.checked)} />
            {t('With what they need')}
          </label>
          <Button look="primary" size="large" disabled={isSending || units.length === 0} onClick={() => void make()}>
            {plural(units.length, 'Plan {count} resource for {target}', 'Plan {count} resources for {target}', {
              target,
            })}
          </Button>
        </div>
      </footer>
    </>
  );
}
