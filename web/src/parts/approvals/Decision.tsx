import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { shown, type ShownError } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { WAITING } from './approvals-query.ts';
import styles from './Decision.module.css';

interface DecisionProps {
  readonly title: ReactNode;
  /** What it is about. */
  readonly children: ReactNode;
  /** Says what it approves. */
  readonly approve: string;
  /** Absent: there is no refusal, it is only left. */
  readonly reject?: string | undefined;
  /** Whether the comment must be given. `reject` alone: for a refusal. */
  readonly needsComment?: 'always' | 'reject' | undefined;
  /** Why the caller may not decide. */
  readonly reason?: string | undefined;
  /** @throws KeelsonError */
  readonly onDecide: (isApproved: boolean, comment: string) => Promise<void>;
}

/** Something that waits for a decision, which is made here. */
export function Decision({ title, children, approve, reject, needsComment, reason, onDecide }: DecisionProps) {
  const cache = useQueryClient();
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [missing, setMissing] = useState(false);
  const [isSending, setSending] = useState(false);

  async function decide(isApproved: boolean) {
    const mustSay = needsComment === 'always' || (needsComment === 'reject' && !isApproved);
    setMissing(mustSay && comment.trim() === '');
    if (mustSay && comment.trim() === '') return;
    setSending(true);
    setProblem(null);
    try {
      await onDecide(isApproved, comment.trim());
      say(isApproved ? t('Approved') : t('Rejected'));
      await cache.invalidateQueries({ queryKey: WAITING });
    } catch (error) {
      setProblem(shown(error));
      setSending(false);
    }
  }

  return (
    <article className={styles.card}>
      <h3 className={styles.title}>{title}</h3>
      <div className={styles.about}>{children}</div>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      {reason !== undefined ? (
        <p className={styles.reason}>{reason}</p>
      ) : (
        <form
          className={styles.form}
          onSubmit={(event: SubmitEvent) => {
            event.preventDefault();
            void decide(true);
          }}
        >
          <div className={styles.comment}>
            <Labelled
              label={needsComment === 'always' ? t('Reason') : t('Comment')}
              required={needsComment === 'always'}
              problem={missing ? t('Say why') : undefined}
            >
              {(ties) => <TextInput {...ties} value={comment} onChange={({ target }) => setComment(target.value)} />}
            </Labelled>
          </div>
          {reject !== undefined && (
            <Button disabled={isSending} onClick={() => void decide(false)}>
              {reject}
            </Button>
          )}
          <Button type="submit" look="primary" disabled={isSending}>
            {approve}
          </Button>
        </form>
      )}
    </article>
  );
}
