import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Me } from '../../app/application.ts';
import { session } from '../../app/client.ts';
import { shownInLine } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import {
  chooseLanguage,
  chooseTheme,
  chosenTheme,
  language,
  LANGUAGES,
  type Language,
  type Theme,
} from '../../app/preferences.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuChoice } from '../../ui/MenuChoice.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { MenuSeparator } from '../../ui/MenuSeparator.tsx';
import styles from './AccountMenu.module.css';

async function logOut() {
  try {
    await session.logOut();
    queries.clear();
  } catch (failure) {
    say(shownInLine(failure));
  }
}

/** Who is logged in, how the console looks to them, and the way out. */
export function AccountMenu({ me }: { readonly me: Me }) {
  const [theme, setTheme] = useState(chosenTheme);
  const navigate = useNavigate();
  const change = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <Menu
      align="end"
      trigger={
        <Button look="plain" aria-label={t('Account of {name}', { name: me.username })}>
          <span className={styles.name}>{me.username}</span>
          <Icon name="user" />
        </Button>
      }
    >
      <p className={styles.who}>
        <strong>{me.username}</strong>
        <span>{me.email}</span>
      </p>
      <MenuSeparator />
      <MenuChoice
        label={t('Theme')}
        value={theme}
        options={[
          ['system', t('As the system')],
          ['light', t('Light')],
          ['dark', t('Dark')],
        ]}
        onChange={change}
      />
      <MenuSeparator />
      <MenuChoice
        label={t('Language')}
        value={language}
        options={Object.entries(LANGUAGES) as [Language, string][]}
        onChange={chooseLanguage}
      />
      <MenuSeparator />
      <MenuItem onClick={() => void navigate({ to: '/account' })}>{t('Account')}</MenuItem>
      <MenuItem onClick={() => void logOut()}>{t('Log out')}</MenuItem>
    </Menu>
  );
}
