import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { applicationQuery } from '../../app/queries.ts';
import { tilePreviewQuery, type Tile } from '../dashboard/dashboard-query.ts';
import { ReadTile } from '../dashboard/TileCard.tsx';
import { nameIn } from './Summary.tsx';
import { useSettled } from './use-plan.ts';
import type { Content } from './yaml-text.ts';

/** Columns of the grid that a tile takes beside the text: there is less room than on its dashboard. */
const WIDTH = 12;
const NUMBER_WIDTH = 6;

/** A tile of a dashboard with its figures, as it is in the editor. */
export function TilePreview({ tile }: { readonly tile: Content }) {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const found = useQuery(tilePreviewQuery(useSettled(tile)));
  const shown = found.data?.tile ?? unread(tile);
  const width = shown.kind === 'number' ? NUMBER_WIDTH : WIDTH;
  return <ReadTile application={application} tile={{ ...shown, width }} found={found} />;
}

/** What can be said of a tile before the service has read it. */
function unread(tile: Content): Tile {
  return {
    code: '',
    title: nameIn(tile),
    kind: tile.kind === 'number' ? 'number' : 'table',
    width: WIDTH,
    columns: [],
  };
}
