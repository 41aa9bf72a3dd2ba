import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useId, type ReactNode } from 'react';
import { meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { PasswordForm } from '../../parts/account/PasswordForm.tsx';
import { Preferences } from '../../parts/account/Preferences.tsx';
import { SessionList } from '../../parts/account/SessionList.tsx';
import styles from './AccountScreen.module.css';

/** Who is logged in, where, and how the console looks to them. */
export function AccountScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  useEffect(() => {
    document.title = t('Account');
  }, []);
  return (
    <div className={styles.screen}>
      <h1 className={styles.title}>{t('Account')}</h1>
      <p className={styles.who}>
        {me.username}
        {me.email !== null && ` · ${me.email}`}
      </p>
      <Part title={t('This device')}>
        <Preferences />
      </Part>
      <Part title={t('Password')}>
        <PasswordForm />
      </Part>
      <Part title={t('Sessions')}>
        <SessionList />
      </Part>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.part} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div>{children}</div>
    </section>
  );
}
