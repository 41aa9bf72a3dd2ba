import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { plural, t } from '../../app/texts.ts';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './PlanState.module.css';
import { isOpen, sealOf, type PromotionDetails } from './promotions-query.ts';

/** The plan's seal, who must agree to it, and who has. */
export function PlanState({ promotion }: { readonly promotion: PromotionDetails }) {
  const { plan, approvals, agreement, target, applyAt } = promotion;
  if (!plan) return null;
  const { needed } = agreement;
  const agreed = approvals.filter(({ valid }) => valid);
  const former = approvals.length - agreed.length;
  return (
    <section className={styles.plan} aria-label={t('The plan')}>
      <dl>
        <div>
          <dt>{t('Seal')}</dt>
          <dd>
            <code title={plan.hash}>{sealOf(plan)}</code>{' '}
            <time dateTime={plan.sealedAt} title={formatWholeMoment(plan.sealedAt)}>
              {formatMoment(plan.sealedAt)}
            </time>
          </dd>
        </div>
        <div>
          <dt>{t('Must agree')}</dt>
          <dd>
            {needed === 0
              ? t('Nobody else: {target} takes one person', { target })
              : plural(
                  needed,
                  '{count} person beside the one who made it',
                  '{count} people beside the one who made it',
                )}
          </dd>
        </div>
        <div>
          <dt>{t('Have agreed')}</dt>
          <dd>
            {agreed.length === 0 && t('Nobody yet')}
            {agreed.map(({ pid, username, comment, createdAt }) => (
              <span key={pid} className={styles.person}>
                <StatusMark tone="good">{username}</StatusMark>{' '}
                <time dateTime={createdAt} title={formatWholeMoment(createdAt)}>
                  {formatMoment(createdAt)}
                </time>
                {comment !== null && <q>{comment}</q>}
              </span>
            ))}
            {former > 0 && (
              <span className={styles.former}>
                {plural(former, '{count} approval was for an earlier plan', '{count} approvals were for earlier plans')}
              </span>
            )}
          </dd>
        </div>
        {applyAt !== null && isOpen(promotion) && (
          <div>
            <dt>{t('Is applied')}</dt>
            <dd>
              <time dateTime={applyAt} title={formatWholeMoment(applyAt)}>
                {formatMoment(applyAt)}
              </time>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
