import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { FILTER_SCHEMA } from '../../platform/metadata/content/filter-content.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { toResource, type ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { PAGE_SCHEMA } from '../../platform/records/pages/page-type.ts';
import { DATASOURCE } from '../datasources/datasource-type.ts';
import { DASHBOARD_CONTENT, type DashboardContent, type Tile } from './dashboard-content.ts';
import { renamedTile } from './renamed-tile.ts';
import { problemsAmongOthers, problemsOfTile } from './tile-problems.ts';

/** Dashboards: figures over pages and data sources, as tiles. */
export const DASHBOARD: ResourceType<DashboardContent, DashboardContent> = {
  name: 'DASHBOARD',
  codePattern: '^[a-z][a-z0-9_]{0,63}$',
  schema: DASHBOARD_CONTENT,
  schemas: [FILTER_SCHEMA],
  notFound: 'There is no such dashboard',
  unknownCode: '{code} is not a dashboard',
  keep: ({ content }) => content,
  permissionCodes: (code) => [permissionCode.dashboardRead(code)],
  validate({ tiles }) {
    const problems = ofTiles(tiles, problemsOfTile);
    tiles.forEach(({ code }, index) => {
      if (tiles.findIndex((tile) => tile.code === code) < index)
        problems[`content.tiles.${index}.code`] = 'is named twice';
    });
    return problems;
  },
  check: ({ content: { tiles } }, after) => ofTiles(tiles, (tile) => problemsAmongOthers(tile, after)),
  afterRenames: (content, renames, pages) => ({
    ...content,
    tiles: content.tiles.map((tile) => renamedTile(tile, pages.get(tile.page ?? '') ?? '', renames)),
  }),
  references: ({ tiles }) =>
    tiles.flatMap(({ page, dataSource }, index) => [
      ...(page === undefined ? [] : [toResource(`tiles.${index}.page`, PAGE_SCHEMA, page)]),
      ...(dataSource === undefined ? [] : [toResource(`tiles.${index}.dataSource`, DATASOURCE, dataSource)]),
    ]),
};

function ofTiles(tiles: readonly Tile[], problemsOf: (tile: Tile) => FieldErrors): FieldErrors {
  return Object.fromEntries(
    tiles.flatMap((tile, index) =>
      Object.entries(problemsOf(tile)).map(([path, problem]) => [`content.tiles.${index}.${path}`, problem] as const),
    ),
  );
}
