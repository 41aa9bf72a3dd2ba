import { ValidationError } from '@keelson/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { session } from '../../app/client.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { NewPasswordField } from './NewPasswordField.tsx';
import styles from './account.module.css';
import { SESSIONS } from './sessions-query.ts';

/** Changes the password: all other sessions end. */
export function PasswordForm() {
  const cache = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const [isSending, setSending] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    setWrong({});
    try {
      await session.changePassword(current, next);
      setCurrent('');
      setNext('');
      say(t('Your password is changed. Your other sessions have ended.'));
      await cache.invalidateQueries({ queryKey: SESSIONS });
    } catch (error) {
      if (error instanceof ValidationError) setWrong(error.fieldErrors);
      else setProblem(shown(error));
    }
    setSending(false);
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      <Labelled label={t('Present password')} problem={wrong.currentPassword}>
        {(ties) => (
          <TextInput
            {...ties}
            type="password"
            autoComplete="current-password"
            required
            value={current}
            onChange={({ target }) => setCurrent(target.value)}
          />
        )}
      </Labelled>
      <NewPasswordField value={next} onChange={setNext} problem={wrong.newPassword} />
      <Button type="submit" look="primary" disabled={isSending}>
        {t('Change the password')}
      </Button>
    </form>
  );
}
