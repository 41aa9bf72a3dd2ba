import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../../app/ask.ts';
import { formatMoment } from '../../app/format.ts';
import { plural, t } from '../../app/texts.ts';
import { kindName, markOf } from '../promotions/promotion-words.ts';
import { changesQuery } from '../promotions/promotions-query.ts';
import type { Promotion } from './approvals-query.ts';
import { Decision } from './Decision.tsx';
import styles from './PromotionCard.module.css';

/** Letters of a plan's seal: enough to tell two apart. */
const SEAL = 6;
/** Resources that are named. */
const SHOWN = 12;

/** A plan that waits for a second person: what would change where, and its seal. */
export function PromotionCard({ promotion }: { readonly promotion: Promotion }) {
  const { pid, source, target, plan, createdByName, createdAt, conflicts } = promotion;
  const { data: changes } = useQuery(changesQuery(pid, true));
  const isStale = changes?.some(({ changedSince }) => changedSince) ?? false;
  const items = plan?.items ?? [];
  const tables = items.filter(({ ddl }) => ddl.length > 0).length;
  const seal = plan?.hash.slice(0, SEAL) ?? '';
  const resources = plural(items.length, '{count} resource', '{count} resources');
  return (
    <Decision
      title={t('Promotion of {resources} to {target}', { resources, target })}
      approve={t('Approve plan {seal} for {target}', { seal, target })}
      reject={t('Reject')}
      needsComment="reject"
      reason={isStale ? t('It has changed since the plan was sealed: it must be planned anew first.') : undefined}
      onDecide={async (isApproved, comment) => {
        const params = { pid };
        if (isApproved) {
          await ask('POST /api/admin/promotions/{pid}/approve', {
            params,
            body: { ...(plan && { planHash: plan.hash }), ...(comment !== '' && { comment }) },
          });
        } else await ask('POST /api/admin/promotions/{pid}/reject', { params, body: { reason: comment } });
      }}
    >
      <p>
        {t('{name} planned it {moment}, from {source}.', {
          name: createdByName,
          moment: formatMoment(createdAt),
          source: source ?? t('a file'),
        })}{' '}
        {tables > 0 && plural(tables, '{count} table changes.', '{count} tables change.')}{' '}
        {conflicts.length > 0 && plural(conflicts.length, '{count} note.', '{count} notes.')}
      </p>
      <ul className={styles.items}>
        {items.slice(0, SHOWN).map(({ pid: one, resourceType, code, action }) => (
          <li key={one}>
            <span className={styles.mark}>{markOf({ action })}</span> {kindName(resourceType)}: <strong>{code}</strong>
          </li>
        ))}
        {items.length > SHOWN && <li>{t('and {count} more', { count: items.length - SHOWN })}</li>}
      </ul>
      <Link to="/promotions/$pid" params={{ pid }} search={{}}>
        {t('Show the review')}
      </Link>
    </Decision>
  );
}
