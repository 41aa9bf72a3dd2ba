import { useState } from 'react';
import { formatWholeMoment } from '../../app/format.ts';
import {
  chooseLanguage,
  chooseTheme,
  chooseTimeZone,
  chosenTheme,
  chosenTimeZone,
  language,
  LANGUAGES,
  ownTimeZone,
  type Language,
  type Theme,
} from '../../app/preferences.ts';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { SettledSelect } from '../../ui/SettledSelect.tsx';
import styles from './account.module.css';

const OWN = '';

/** How the console speaks and looks on this device. */
export function Preferences() {
  const [theme, setTheme] = useState(chosenTheme);
  const { zone: ownZone, isOfTenant } = ownTimeZone();
  const named = { zone: ownZone };
  const [now] = useState(() => new Date().toISOString());
  return (
    <div className={styles.form}>
      <Labelled label={t('Language')}>
        {(ties) => (
          <SettledSelect
            {...ties}
            value={language}
            options={Object.entries(LANGUAGES)}
            onChoose={(chosen) => chooseLanguage(chosen as Language)}
          />
        )}
      </Labelled>
      <Labelled label={t('Time zone')} hint={t('It is {moment}', { moment: formatWholeMoment(now) })}>
        {(ties) => (
          <SettledSelect
            {...ties}
            value={chosenTimeZone ?? OWN}
            options={[
              [OWN, isOfTenant ? t('Of the tenant ({zone})', named) : t('Of this device ({zone})', named)],
              ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
            ]}
            onChoose={(chosen) => chooseTimeZone(chosen === OWN ? null : chosen)}
          />
        )}
      </Labelled>
      <Labelled label={t('Theme')}>
        {(ties) => (
          <Select
            {...ties}
            value={theme}
            options={[
              ['system', t('As the system')],
              ['light', t('Light')],
              ['dark', t('Dark')],
            ]}
            onChoose={(chosen) => {
              chooseTheme(chosen as Theme);
              setTheme(chosen as Theme);
            }}
          />
        )}
      </Labelled>
    </div>
  );
}
