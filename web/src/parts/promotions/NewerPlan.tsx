import { Link } from '@tanstack/react-router';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import styles from './NewerPlan.module.css';
import { planDifferences } from './plan-differences.ts';
import { sealOf, type PromotionDetails } from './promotions-query.ts';

type Plan = NonNullable<PromotionDetails['plan']>;

interface NewerPlanProps {
  readonly pid: string;
  /** The one that the reader has looked at. */
  readonly former: Plan;
  readonly plan: Plan;
  readonly onSeen: () => void;
}

/** Another plan has taken the place of the one that was looked at: what differs between them. */
export function NewerPlan({ pid, former, plan, onSeen }: NewerPlanProps) {
  const differences = planDifferences(former, plan);
  const marks = { added: t('new in it'), left: t('no longer in it'), changed: t('changed again') };
  return (
    <div className={styles.newer} role="status">
      <div>
        <p>
          {t('Plan {seal} has taken the place of plan {former}.', { seal: sealOf(plan), former: sealOf(former) })}{' '}
          {plural(differences.length, '{count} resource differs:', '{count} resources differ:')}
        </p>
        <ul>
          {differences.map(({ pid: unit, code, kind }) => (
            <li key={unit}>
              <Link to="/promotions/$pid" params={{ pid }} search={{ unit }}>
                {code}
              </Link>{' '}
              {marks[kind]}
            </li>
          ))}
        </ul>
      </div>
      <Button onClick={onSeen}>{t('I have seen it')}</Button>
    </div>
  );
}
