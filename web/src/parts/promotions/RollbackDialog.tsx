import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { ReasonDialog } from '../actions/ReasonDialog.tsx';
import { kindName } from './promotion-words.ts';
import { sealOf, type PromotionDetails } from './promotions-query.ts';
import styles from './RollbackDialog.module.css';

interface RollbackDialogProps {
  readonly promotion: PromotionDetails;
  readonly plan: NonNullable<PromotionDetails['plan']>;
  readonly onClose: () => void;
}

/** Takes an applied promotion back: says what that undoes, and goes as far as one person may. */
export function RollbackDialog({ promotion, plan, onClose }: RollbackDialogProps) {
  const { pid, target } = promotion;
  const navigate = useNavigate();
  // What a lost answer has left is gone on with.
  const made = useRef<string>(undefined);
  const count = plan.items.length;

  async function rollBack(reason: string) {
    made.current ??= (
      await ask('POST /api/admin/promotions/{pid}/rollback', { params: { pid }, body: { reason } })
    ).pid;
    const params = { pid: made.current };
    const { status, plan: inverse } = await ask('POST /api/admin/promotions/{pid}/validate', { params, body: {} });
    const { agreement, conflicts } = await ask('GET /api/admin/promotions/{pid}', { params });
    const isFree = agreement.missing === 0 && !conflicts.some(({ severity }) => severity !== 'warning');
    if (status === 'VALIDATED' && inverse && isFree) {
      await ask('POST /api/admin/promotions/{pid}/apply', { params, body: { reason, planHash: inverse.hash } });
      say(t('{target} is as it was', { target }));
    }
    onClose();
    await navigate({ to: '/promotions/$pid', params, search: {} });
  }

  return (
    <ReasonDialog
      title={t('Roll back plan {seal} in {target}', { seal: sealOf(plan), target })}
      action={plural(count, 'Roll back {count} resource', 'Roll back {count} resources')}
      isDangerous
      onAct={rollBack}
      onClose={onClose}
    >
      <p>{t('This undoes:')}</p>
      <ul className={styles.items}>
        {plan.items.map(({ pid: one, resourceType, code, action, targetVersion }) => (
          <li key={one}>
            <strong>{code}</strong> {kindName(resourceType)} ·{' '}
            {action === 'ADD'
              ? t('is removed again')
              : action === 'REMOVE'
                ? t('comes back')
                : t('goes back to version {version}', { version: targetVersion ?? '' })}
          </li>
        ))}
      </ul>
      <p className={styles.note}>
        {t('Values of fields that go stay in their columns. Where a second person must agree, it waits for them.')}
      </p>
    </ReasonDialog>
  );
}
