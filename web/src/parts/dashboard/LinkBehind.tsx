import { Link } from '@tanstack/react-router';
import type { Application } from '../../app/application.ts';
import type { Tile, TileRow } from './dashboard-query.ts';
import { behind } from './tile-values.ts';

interface LinkBehindProps {
  readonly application: Application;
  readonly tile: Tile;
  readonly row: TileRow;
  readonly text: string;
}

/** What names a row of a tile. It leads to the records behind the row, where an address says them. */
export function LinkBehind({ application, tile, row, text }: LinkBehindProps) {
  const { pageKey } = tile;
  const search = behind(application, tile, row);
  if (pageKey === undefined || !search) return text;
  return (
    <Link to="/pages/$pageKey" params={{ pageKey }} search={search}>
      {text}
    </Link>
  );
}
