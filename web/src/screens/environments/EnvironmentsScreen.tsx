import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { shown } from '../../app/errors.ts';
import { formatNumber } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { Applications } from '../../parts/environments/Applications.tsx';
import { Builds } from '../../parts/environments/Builds.tsx';
import { environmentsQuery, type Environment } from '../../parts/environments/environments-query.ts';
import { ExportImport } from '../../parts/environments/ExportImport.tsx';
import { LockState } from '../../parts/environments/LockState.tsx';
import { PolicyState } from '../../parts/environments/PolicyState.tsx';
import { Secrets } from '../../parts/environments/Secrets.tsx';
import { kindName, type ResourceType } from '../../parts/promotions/promotion-words.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { EnvironmentChip } from '../../ui/EnvironmentChip.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './EnvironmentsScreen.module.css';

/** Each environment: its rule, its lock, what is in it and what is done with it. */
export function EnvironmentsScreen() {
  const { data: environments, error, refetch } = useQuery(environmentsQuery);
  const { environment: named } = useSearch({ from: '/environments' });
  useEffect(() => {
    document.title = t('Environments');
  }, []);
  if (error) {
    const { title, advice } = shown(error);
    return (
      <Blank isScreen title={title} advice={advice}>
        <Button onClick={() => void refetch()}>{t('Try again')}</Button>
      </Blank>
    );
  }
  const environment = environments?.find(({ code }) => code === named) ?? environments?.[0];
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <h1>{t('Environments')}</h1>
        <nav aria-label={t('Environments')}>
          {environments?.map(({ code }) => (
            <Link
              key={code}
              to="/environments"
              search={{ environment: code }}
              aria-current={code === environment?.code ? 'page' : undefined}
            >
              <EnvironmentChip environment={code} />
            </Link>
          ))}
        </nav>
        {environment && <ExportImport key={environment.code} environment={environment.code} />}
      </header>
      {environment ? <One key={environment.code} environment={environment} /> : <Skeleton width={60} />}
    </div>
  );
}

function One({ environment }: { readonly environment: Environment }) {
  const { code, name, metadataVersion, resourceCounts } = environment;
  return (
    <>
      <p className={styles.about}>
        {[
          name,
          t('Configuration version {version}', { version: formatNumber(metadataVersion) }),
          ...Object.entries(resourceCounts).map(
            ([type, count]) => `${kindName(type as ResourceType)} ${formatNumber(count)}`,
          ),
        ].join(' · ')}
      </p>
      <div className={styles.parts}>
        <LockState environment={environment} />
        <PolicyState environment={environment} />
        <Applications environment={code} />
        <Secrets environment={code} />
        <Builds environment={code} />
      </div>
    </>
  );
}
