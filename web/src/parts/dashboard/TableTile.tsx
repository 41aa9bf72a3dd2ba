import { FigureTable } from './FigureTable.tsx';
import styles from './TableTile.module.css';
import type { TileProps } from './tile-props.ts';
import { columnsOf } from './tile-values.ts';

/** Rows of figures. */
export function TableTile({ application, tile, found: { rows } }: TileProps) {
  return (
    <div className={styles.scroll}>
      <FigureTable application={application} tile={tile} columns={columnsOf(tile, rows)} rows={rows} />
    </div>
  );
}
