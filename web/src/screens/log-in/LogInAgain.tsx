import { useState } from 'react';
import { t } from '../../app/texts.ts';
import { ForgottenForm } from '../../parts/log-in/ForgottenForm.tsx';
import { LogInForm } from '../../parts/log-in/LogInForm.tsx';
import { Dialog } from '../../ui/Dialog.tsx';

/** Over what was being done: it goes on after the log-in. */
export function LogInAgain() {
  const [isForgotten, setForgotten] = useState(false);
  return (
    <Dialog title={isForgotten ? t('Reset your password') : t('Your session has ended. Log in to go on.')}>
      {isForgotten ? (
        <ForgottenForm onBack={() => setForgotten(false)} />
      ) : (
        <LogInForm onForgotten={() => setForgotten(true)} />
      )}
    </Dialog>
  );
}
