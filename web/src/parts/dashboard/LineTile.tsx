import { Suspense } from 'react';
import { lazyPart } from '../loading/lazy-part.tsx';
import styles from './LineTile.module.css';
import { FigureTable } from './FigureTable.tsx';
import type { TileProps } from './tile-props.ts';
import { columnsOf } from './tile-values.ts';

const TimeChart = lazyPart(() => import('./TimeChart.tsx'));

/** Figures along a time: a picture, and its table for those who listen. */
export function LineTile({ application, tile, found }: TileProps) {
  const columns = columnsOf(tile, found.rows);
  return (
    <>
      <Suspense fallback={<div className={styles.chart} />}>
        <TimeChart kind={tile.kind === 'bar' ? 'bar' : 'line'} columns={columns} rows={found.rows} />
      </Suspense>
      <div className="visually-hidden">
        <FigureTable application={application} tile={tile} columns={columns} rows={found.rows} />
      </div>
    </>
  );
}
