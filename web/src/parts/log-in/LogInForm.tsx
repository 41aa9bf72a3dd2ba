import { useState, type SubmitEvent } from 'react';
import { session } from '../../app/client.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { EmailField } from './EmailField.tsx';
import styles from './LogInForm.module.css';

interface LogInFormProps {
  readonly onForgotten: () => void;
}

/** E-mail and password. What was typed stays when the log-in is refused. */
export function LogInForm({ onForgotten }: LogInFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isSending, setSending] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    try {
      await session.logIn({ email, password });
    } catch (error) {
      setProblem(shown(error));
      setSending(false);
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      <EmailField value={email} onChange={setEmail} />
      <Labelled label={t('Password')}>
        {(ties) => (
          <TextInput
            {...ties}
            type="password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        )}
      </Labelled>
      <div className={styles.actions}>
        <Button type="submit" look="primary" size="large" disabled={isSending}>
          {t('Log in')}
        </Button>
        <Button look="plain" onClick={onForgotten}>
          {t('Reset a forgotten password')}
        </Button>
      </div>
    </form>
  );
}
