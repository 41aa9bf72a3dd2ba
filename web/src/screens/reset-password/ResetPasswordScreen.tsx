import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type SubmitEvent } from 'react';
import { ValidationError } from '@keelson/client';
import icon from '../../app/icon.svg';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { NewPasswordField } from '../../parts/account/NewPasswordField.tsx';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from '../log-in/LogInScreen.module.css';

/** What the link of an e-mail has brought: it leaves the address at once. */
const token = location.hash.slice(1);

/** Chooses a new password, by the link of an e-mail. */
export function ResetPasswordScreen() {
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [wrong, setWrong] = useState<string | undefined>();
  const [state, setState] = useState<'typing' | 'sending' | 'done'>('typing');
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname);
    document.title = t('Choose a new password');
  }, []);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    setState('sending');
    setProblem(null);
    setWrong(undefined);
    try {
      await ask('POST /api/auth/password-reset/confirm', { body: { token, newPassword: password }, isPublic: true });
      setState('done');
    } catch (error) {
      const told = error instanceof ValidationError ? error.fieldErrors.newPassword : undefined;
      if (told === undefined) setProblem(shown(error));
      setWrong(told);
      setState('typing');
    }
  }

  const toLogIn = () => void navigate({ to: '/' });
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <h1 className={styles.title}>
          <img src={icon} alt="" width="24" height="24" />
          {t('Choose a new password')}
        </h1>
        {token === '' ? (
          <Problem title={t('The link is not complete: open it again from the e-mail.')} />
        ) : state === 'done' ? (
          <div className={styles.done}>
            <p role="status">{t('Your password is changed. You can log in with it now.')}</p>
            <Button look="primary" size="large" onClick={toLogIn}>
              {t('Back to the log-in')}
            </Button>
          </div>
        ) : (
          <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
            {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
            <NewPasswordField value={password} onChange={setPassword} problem={wrong} />
            <Button type="submit" look="primary" size="large" disabled={state === 'sending'}>
              {t('Save the password')}
            </Button>
          </form>
        )}
      </div>
    </main>
  );
}
