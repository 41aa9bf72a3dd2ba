import { useIsFetching, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { shown } from '../../app/errors.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { dashboardQuery, tileKey } from '../../parts/dashboard/dashboard-query.ts';
import { TileCard } from '../../parts/dashboard/TileCard.tsx';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import styles from './DashboardScreen.module.css';

/** The figures of an application, as tiles. */
export function DashboardScreen() {
  const { code } = useParams({ from: '/dashboards/$code' });
  const cache = useQueryClient();
  const { data: application } = useSuspenseQuery(applicationQuery);
  const { data: dashboard, error, refetch } = useQuery(dashboardQuery(code));
  const isReading = useIsFetching({ queryKey: tileKey(code) }) > 0;
  const title = dashboard?.name ?? application.dashboards.find((one) => one.code === code)?.name ?? '';
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (error) {
    const problem = shown(error);
    return (
      <Blank isScreen title={problem.title} advice={problem.advice}>
        <Button look="primary" onClick={() => void refetch()}>
          {t('Try again')}
        </Button>
      </Blank>
    );
  }
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <h1>{title}</h1>
        <Button
          look="plain"
          label={t('Read the figures again')}
          disabled={isReading}
          onClick={() => void cache.invalidateQueries({ queryKey: tileKey(code) })}
        >
          <Icon name="reload" />
        </Button>
      </header>
      {dashboard?.tiles.length === 0 ? (
        <Blank title={t('No figures for you here')} advice={t('You may not read what these figures are made of.')} />
      ) : (
        <div className={styles.tiles}>
          {dashboard?.tiles.map((tile) => (
            <TileCard key={tile.code} application={application} dashboard={code} tile={tile} />
          ))}
        </div>
      )}
    </div>
  );
}
