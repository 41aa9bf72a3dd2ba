import { useEffect, useState } from 'react';
import icon from '../../app/icon.svg';
import { chooseLanguage, language, LANGUAGES, type Language } from '../../app/preferences.ts';
import { t } from '../../app/texts.ts';
import { ForgottenForm } from '../../parts/log-in/ForgottenForm.tsx';
import { LogInForm } from '../../parts/log-in/LogInForm.tsx';
import { Button } from '../../ui/Button.tsx';
import styles from './LogInScreen.module.css';

/** At the address that was asked for, which is there after the log-in. */
export function LogInScreen() {
  const [isForgotten, setForgotten] = useState(false);
  const title = isForgotten ? t('Reset your password') : t('Log in to Keelson');
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <main className={styles.screen}>
      <div>
        <div className={styles.card}>
          <h1 className={styles.title}>
            <img src={icon} alt="" width="24" height="24" />
            {title}
          </h1>
          {isForgotten ? (
            <ForgottenForm onBack={() => setForgotten(false)} />
          ) : (
            <LogInForm onForgotten={() => setForgotten(true)} />
          )}
        </div>
        <div className={styles.languages}>
          {(Object.entries(LANGUAGES) as [Language, string][]).map(([code, name]) => (
            <Button
              key={code}
              look="plain"
              lang={code}
              disabled={code === language}
              onClick={() => chooseLanguage(code)}
            >
              {name}
            </Button>
          ))}
        </div>
      </div>
    </main>
  );
}
