import type { Application } from '../../app/application.ts';
import type { Tile, TileRows } from './dashboard-query.ts';

/** What each kind of tile needs to be drawn. */
export interface TileProps {
  readonly application: Application;
  readonly tile: Tile;
  readonly found: TileRows;
}
