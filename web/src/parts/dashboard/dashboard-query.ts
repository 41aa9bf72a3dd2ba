import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Api } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { timeZone } from '../../app/preferences.ts';

export type Dashboard = Api['GET /api/dashboards/{code}']['data'];
export type Tile = Dashboard['tiles'][number];
export type TileColumn = Tile['columns'][number];
export type TileRows = Api['GET /api/dashboards/{code}/tiles/{tile}']['data'];
export type TileRow = TileRows['rows'][number];

const CONFIGURATION_FRESH_MS = 300_000;
/** Figures are read again so often while they are looked at. */
const REFRESH_MS = 60_000;

const TILE_PREVIEWS = ['tile-preview'] as const;

export function dashboardQuery(code: string) {
  return queryOptions({
    queryKey: ['dashboard', code],
    queryFn: ({ signal }) => ask('GET /api/dashboards/{code}', { params: { code }, signal }),
    staleTime: CONFIGURATION_FRESH_MS,
  });
}

export function tileKey(dashboard: string) {
  return ['tile', dashboard] as const;
}

export function tileQuery(dashboard: string, tile: string) {
  return queryOptions({
    queryKey: [...tileKey(dashboard), tile],
    queryFn: ({ signal }) =>
      ask('GET /api/dashboards/{code}/tiles/{tile}', {
        params: { code: dashboard, tile },
        query: { timeZone: timeZone() },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export type TileDraft = Readonly<Record<string, unknown>>;

/** A tile as its author writes it, with its rows. */
export function tilePreviewQuery(tile: TileDraft) {
  return queryOptions({
    queryKey: [...TILE_PREVIEWS, tile],
    queryFn: ({ signal }) =>
      ask('POST /api/dashboards/preview', { body: { tile: { ...tile } }, query: { timeZone: timeZone() }, signal }),
    retry: false,
    placeholderData: keepPreviousData,
  });
}
