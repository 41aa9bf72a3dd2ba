import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { Application } from '../../app/application.ts';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { BarTile } from './BarTile.tsx';
import { tileQuery, type Tile, type TileRows } from './dashboard-query.ts';
import { LineTile } from './LineTile.tsx';
import { NumberTile } from './NumberTile.tsx';
import { TableTile } from './TableTile.tsx';
import styles from './TileCard.module.css';
import { behind } from './tile-values.ts';

interface TileCardProps {
  readonly application: Application;
  readonly dashboard: string;
  readonly tile: Tile;
}

const KINDS = { number: NumberTile, bar: BarTile, line: LineTile, table: TableTile };

/** A tile of a dashboard with its rows, which are read again while it is looked at. */
export function TileCard({ application, dashboard, tile }: TileCardProps) {
  return <ReadTile application={application} tile={tile} found={useQuery(tileQuery(dashboard, tile.code))} />;
}

interface ReadTileProps {
  readonly application: Application;
  readonly tile: Tile;
  readonly found: Pick<UseQueryResult<TileRows>, 'data' | 'error' | 'isPlaceholderData' | 'refetch'>;
}

/** A tile with its heading, which leads to what is behind it, and its own states. */
export function ReadTile({ application, tile, found }: ReadTileProps) {
  const heading = useId();
  const { data, error, isPlaceholderData, refetch } = found;
  const { pageKey, title, kind, width } = tile;
  const search = behind(application, tile);
  const Kind = KINDS[kind];
  return (
    <section
      className={`${styles.tile} ${kind === 'number' ? styles.small : ''}`}
      style={{ '--span': width } as object}
      aria-labelledby={heading}
      aria-busy={data === undefined && !error}
    >
      <h2 id={heading} className={styles.title} title={title}>
        {pageKey !== undefined && search ? (
          <Link to="/pages/$pageKey" params={{ pageKey }} search={search}>
            {title}
          </Link>
        ) : (
          title
        )}
      </h2>
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined || isPlaceholderData ? (
        <Waiting kind={kind} />
      ) : data.rows.length === 0 ? (
        <p className={styles.note}>{t('Nothing to show yet')}</p>
      ) : (
        <Kind application={application} tile={tile} found={data} />
      )}
      {data?.truncated && (
        <p className={styles.more}>{t('Only the first {count} are shown', { count: data.rows.length })}</p>
      )}
    </section>
  );
}

function Failed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const { title, advice, traceId } = shown(error);
  return (
    <div className={styles.note} role="alert">
      <p>{title}</p>
      {advice !== undefined && <p>{advice}</p>}
      {traceId !== null && <p className={styles.trace}>{traceId}</p>}
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </div>
  );
}

/** The shape of what comes. */
function Waiting({ kind }: { readonly kind: Tile['kind'] }) {
  if (kind === 'number') return <Skeleton width={40} />;
  return (
    <div className={styles.waiting}>
      {[80, 62, 47, 30].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
