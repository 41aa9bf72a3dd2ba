import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ReasonDialog } from '../actions/ReasonDialog.tsx';
import { ApplyDialog } from './ApplyDialog.tsx';
import { isOpen, sealOf, type PromotionDetails } from './promotions-query.ts';
import styles from './ReviewActions.module.css';
import { RollbackDialog } from './RollbackDialog.tsx';

interface ReviewActionsProps {
  readonly promotion: PromotionDetails;
  /** Whether the caller has made it: they give it up, others reject it. */
  readonly isOwn: boolean;
  /** So many choices have no place in a plan yet. */
  readonly choices: number;
  /** Whether the plan must be made again: what it is about has changed. */
  readonly isStale: boolean;
  /** Plans it, with what was chosen. @throws KeelsonError */
  readonly onPlan: () => Promise<void>;
  /** When something has been done. */
  readonly onDone: () => Promise<void>;
}

type Asked = 'apply' | 'end' | 'rollback';

/** What can be done with a promotion now; each button says to what. */
export function ReviewActions({ promotion, isOwn, choices, isStale, onPlan, onDone }: ReviewActionsProps) {
  const { pid, status, plan, target, agreement } = promotion;
  const [comment, setComment] = useState('');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isSending, setSending] = useState(false);

  async function act(work: () => Promise<unknown>) {
    setSending(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(shown(error));
    }
    await onDone();
    setSending(false);
  }

  const approve = (planHash: string) =>
    act(async () => {
      const body = { planHash, ...(comment.trim() !== '' && { comment: comment.trim() }) };
      await ask('POST /api/admin/promotions/{pid}/approve', { params: { pid }, body });
      setComment('');
      say(t('Approved'));
    });
  const isPlanned = status === 'VALIDATED' && plan !== null;
  const isRolledBack = promotion.timeline.some(({ action }) => action === 'rolled back');
  const mustPlan = isOpen(promotion) && (!isPlanned || isStale || choices > 0);
  const close = () => setAsked(null);
  return (
    <div className={styles.actions}>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      <div className={styles.buttons}>
        {isOpen(promotion) && (
          <Button className={styles.end} onClick={() => setAsked('end')}>
            {isOwn ? t('Give it up') : t('Reject it')}
          </Button>
        )}
        {isPlanned && agreement.needed > 0 && (
          <span className={styles.agreed}>
            {t('Plan {seal}: {count} of {needed} have agreed', {
              seal: sealOf(plan),
              count: Math.min(agreement.needed, promotion.approvals.filter(({ valid }) => valid).length),
              needed: agreement.needed,
            })}
          </span>
        )}
        {mustPlan && (
          <Button look="primary" size="large" disabled={isSending} onClick={() => void act(onPlan)}>
            {choices > 0
              ? plural(choices, 'Plan it with {count} choice', 'Plan it with {count} choices')
              : status === 'DRAFT'
                ? t('Plan it')
                : t('Plan it again')}
          </Button>
        )}
        {isPlanned && !mustPlan && agreement.mayApprove && (
          <>
            <TextInput
              aria-label={t('Comment')}
              placeholder={t('Comment')}
              value={comment}
              onChange={({ target: { value } }) => setComment(value)}
            />
            <Button data-main look="primary" size="large" disabled={isSending} onClick={() => void approve(plan.hash)}>
              {approveText(promotion, plan)}
            </Button>
          </>
        )}
        {isPlanned && !mustPlan && (
          <Button
            size="large"
            look={agreement.mayApprove ? undefined : 'primary'}
            disabled={agreement.missing > 0}
            onClick={() => setAsked('apply')}
          >
            {agreement.missing > 0
              ? plural(agreement.missing, '{count} person must still agree', '{count} people must still agree')
              : t('Apply plan {seal} to {target}', { seal: sealOf(plan), target })}
          </Button>
        )}
        {status === 'APPLIED' && plan && !isRolledBack && (
          <Button size="large" onClick={() => setAsked('rollback')}>
            {t('Roll it back')}
          </Button>
        )}
      </div>
      {asked === 'apply' && plan && <ApplyDialog promotion={promotion} plan={plan} onDone={onDone} onClose={close} />}
      {asked === 'rollback' && plan && <RollbackDialog promotion={promotion} plan={plan} onClose={close} />}
      {asked === 'end' && <EndDialog pid={pid} isOwn={isOwn} onDone={onDone} onClose={close} />}
    </div>
  );
}

function approveText({ target }: PromotionDetails, plan: NonNullable<PromotionDetails['plan']>): string {
  const tables = plan.items.filter(({ ddl }) => ddl.length > 0).length;
  const what = [
    plural(plan.items.length, '{count} resource', '{count} resources'),
    ...(tables > 0 ? [plural(tables, '{count} table change', '{count} table changes')] : []),
  ];
  const about = { seal: sealOf(plan), target, what: what.join(t(', ')) };
  return t('Approve plan {seal} for {target}, {what}', about);
}

interface EndDialogProps {
  readonly pid: string;
  readonly isOwn: boolean;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

/** Ends a promotion that is not applied, for good. */
function EndDialog({ pid, isOwn, onDone, onClose }: EndDialogProps) {
  return (
    <ReasonDialog
      title={isOwn ? t('Give the promotion up') : t('Reject the promotion')}
      action={isOwn ? t('Give it up') : t('Reject it')}
      isDangerous
      onAct={async (reason) => {
        const input = { params: { pid }, body: { reason } };
        if (isOwn) await ask('POST /api/admin/promotions/{pid}/cancel', input);
        else await ask('POST /api/admin/promotions/{pid}/reject', input);
        await onDone();
        onClose();
      }}
      onClose={onClose}
    >
      <p>{t('Nothing of it is applied. It stays in the list with its reason.')}</p>
    </ReasonDialog>
  );
}
