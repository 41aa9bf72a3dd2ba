import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { shown } from '../../app/errors.ts';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import { chooseTenant, chosenTenant } from '../../app/tenant.ts';
import { t } from '../../app/texts.ts';
import { FailedDialog } from '../../parts/loading/FailedDialog.tsx';
import { FailedTool } from '../../parts/loading/FailedTool.tsx';
import { lazyPart } from '../../parts/loading/lazy-part.tsx';
import { Notices } from '../../parts/notices/Notices.tsx';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { EnvironmentChip, environmentColour } from '../../ui/EnvironmentChip.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import styles from './Frame.module.css';
import { Navigation } from './Navigation.tsx';
import { NavigationDrawer } from './NavigationDrawer.tsx';
import { TenantMenu } from './TenantMenu.tsx';

const SearchDialog = lazyPart(() => import('./SearchDialog.tsx'), FailedDialog);
const ActivityButton = lazyPart(() => import('../../parts/activity/ActivityButton.tsx'), FailedTool);
const AssistantPanel = lazyPart(() => import('../../parts/assistant/AssistantPanel.tsx'));

/** What is around every screen: where I am, what there is, who I am. */
export function Frame() {
  const me = useQuery(meQuery);
  const application = useQuery(applicationQuery);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setSearching(true);
    };
    document.addEventListener('keydown', listen);
    // What is typed right after the keys is not lost.
    requestIdleCallback(() => void SearchDialog.preload());
    return () => document.removeEventListener('keydown', listen);
  }, []);
  // What is there stays: only its renewal has failed.
  const failed = (me.data ? null : me.error) ?? (application.data ? null : application.error);
  if (failed) {
    const { title, advice } = shown(failed);
    const retry = () => {
      // A tenant that was chosen before may be out of reach by now.
      if (chosenTenant !== null) chooseTenant(null);
      else void Promise.all([me.refetch(), application.refetch()]);
    };
    return (
      <main>
        <Blank isScreen title={title} advice={advice}>
          <Button look="primary" onClick={retry}>
            {t('Try again')}
          </Button>
        </Blank>
      </main>
    );
  }
  const environment = application.data?.environment;
  return (
    <div className={styles.frame} data-asking={isAsking || undefined}>
      <a className={styles.skip} href="#main">
        {t('Skip to the content')}
      </a>
      <header
        className={styles.bar}
        style={environment === undefined ? undefined : { borderLeftColor: environmentColour(environment) }}
      >
        <Button
          className={styles.menu}
          look="plain"
          label={t('Open the navigation')}
          onClick={() => setDrawerOpen(true)}
        >
          <Icon name="menu" />
        </Button>
        {environment !== undefined && <EnvironmentChip environment={environment} />}
        {me.data && <TenantMenu me={me.data} />}
        <span className={styles.push} />
        <button type="button" className={styles.search} onClick={() => setSearching(true)}>
          <Icon name="search" />
          <span>{t('Search or run')}</span>
          <kbd aria-hidden="true">Ctrl K</kbd>
        </button>
        <span className={styles.push} />
        {application.data && application.data.assistants.length > 0 && (
          <Button
            look="plain"
            label={t('Ask the assistant')}
            aria-expanded={isAsking}
            onClick={() => setAsking(!isAsking)}
          >
            <Icon name="chat" />
          </Button>
        )}
        {me.data && application.data && (
          <Suspense fallback={<span className={styles.later} />}>
            <ActivityButton application={application.data} me={me.data} />
          </Suspense>
        )}
        {me.data && <AccountMenu me={me.data} />}
      </header>
      <div className={styles.side}>
        {application.data && me.data && <Navigation application={application.data} me={me.data} />}
      </div>
      <main id="main" className={styles.main} tabIndex={-1}>
        {application.data && <Outlet />}
      </main>
      {isAsking && application.data && (
        <div className={styles.assistant}>
          <Suspense>
            <AssistantPanel application={application.data} onClose={() => setAsking(false)} />
          </Suspense>
        </div>
      )}
      <Notices />
      {isSearching && application.data && me.data && (
        <Suspense>
          <SearchDialog application={application.data} me={me.data} onClose={() => setSearching(false)} />
        </Suspense>
      )}
      {isDrawerOpen && application.data && me.data && (
        <NavigationDrawer application={application.data} me={me.data} onClose={() => setDrawerOpen(false)} />
      )}
    </div>
  );
}
