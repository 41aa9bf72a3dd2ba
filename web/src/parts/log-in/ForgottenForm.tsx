import { useState, type SubmitEvent } from 'react';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { EmailField } from './EmailField.tsx';
import styles from './LogInForm.module.css';

interface ForgottenFormProps {
  readonly onBack: () => void;
}

/** Asks for an e-mail with a link, by which a new password is chosen. */
export function ForgottenForm({ onBack }: ForgottenFormProps) {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [state, setState] = useState<'typing' | 'sending' | 'sent'>('typing');

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    setState('sending');
    setProblem(null);
    try {
      await ask('POST /api/auth/password-reset/request', { body: { email }, isPublic: true });
      setState('sent');
    } catch (error) {
      setProblem(shown(error));
      setState('typing');
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      {state === 'sent' ? (
        <p role="status" className={styles.done}>
          {t('If {email} belongs to a user, a link is on its way. It works for 30 minutes.', { email })}
        </p>
      ) : (
        <EmailField value={email} onChange={setEmail} />
      )}
      <div className={styles.actions}>
        {state !== 'sent' && (
          <Button type="submit" look="primary" size="large" disabled={state === 'sending'}>
            {t('Send a link')}
          </Button>
        )}
        <Button look="plain" onClick={onBack}>
          {t('Back to the log-in')}
        </Button>
      </div>
    </form>
  );
}
