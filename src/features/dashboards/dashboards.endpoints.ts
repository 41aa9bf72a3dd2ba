import { languageOf } from '../../foundation/http/language.ts';
import { reply } from '../../foundation/http/reply.ts';
import {
  ANYTHING,
  BOOLEAN,
  described,
  integer,
  list,
  MAP,
  nullable,
  object,
  oneOf,
  parameters,
  text,
} from '../../foundation/validation/schema.ts';
import { endpoint, SIGNED_IN, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { FIELD_TYPE_NAMES } from '../../platform/metadata/field-types/field-types.ts';
import { DATE_PARTS, TIME_ZONE } from '../../platform/records/aggregates/aggregate-schema.ts';
import type { ResourceChecks } from '../../platform/metadata/changes/resource-checks.ts';
import { ADMIN_METADATA, permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { TILE_KINDS, type Tile } from './dashboard-content.ts';
import { DASHBOARD } from './dashboard-type.ts';
import { GRID } from './dashboards.limits.ts';
import type { Dashboards } from './dashboards.service.ts';

const BASE = '/api/dashboards';
const tag = 'Dashboards';
const access = [permissionCode.dashboardRead('{code}')];

const COLUMN = object(
  {
    name: text(),
    label: described('Null: how many records there are', nullable(text())),
    type: described('Null: the rows of a data source tell', nullable(oneOf(FIELD_TYPE_NAMES))),
    isGroup: BOOLEAN,
  },
  { fieldName: text(), part: text(), timeZone: text() },
);
const TILE = object(
  {
    code: text(),
    title: text(),
    kind: oneOf(TILE_KINDS),
    width: integer(1, GRID),
    columns: described('Groups, then figures; empty: those of the rows', list(COLUMN)),
  },
  {
    pageKey: text(),
    dataSource: text(),
    conditions: described('Of the records that the figures are of', list(ANYTHING)),
    params: MAP,
    comparison: object({ label: nullable(text()) }),
    trend: object({ part: oneOf(DATE_PARTS) }),
  },
);

const ROWS = { rows: list(MAP), truncated: described('There are more rows', BOOLEAN) };
const OF_NUMBERS = {
  previous: described('Of a number that is compared: its rows before', list(MAP)),
  trend: described(
    'The same number by parts of a date, the oldest first; parts without records are left out',
    list(object({ at: text(), value: ANYTHING })),
  ),
};
const ZONE = { timeZone: described('Of the parts of moments where the tile names none', TIME_ZONE) };

/** Dashboards, and the rows of their tiles. */
export function dashboardEndpoints(dashboards: Dashboards, resourceChecks: ResourceChecks): readonly Endpoint[] {
  return [
    previewEndpoint(dashboards, resourceChecks),
    endpoint({
      method: 'GET',
      path: BASE,
      access: SIGNED_IN,
      tag,
      summary: 'The dashboards that the caller may read',
      data: list(object({ code: text(), name: text() })),
      handle: async ({ actor, request }) => dashboards.list(actor, languageOf(request)),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:code`,
      access,
      tag,
      summary: 'A dashboard, with the tiles that the caller may see',
      data: object({ code: text(), name: text(), tiles: list(TILE) }),
      handle: async ({ actor, params: { code }, request }) => dashboards.get(actor, code, languageOf(request)),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:code/tiles/:tile`,
      access,
      tag,
      budget: 'lists',
      summary: 'The figures of a tile',
      query: parameters(ZONE),
      errors: ['CONFLICT', 'BAD_GATEWAY'],
      data: object(ROWS, OF_NUMBERS),
      async handle({ actor, params: { code, tile }, query: { timeZone }, request }) {
        const reader = { language: languageOf(request), timeZone };
        return reply(await dashboards.rows(actor, code, tile, reader), { verbatim: true });
      },
    }),
  ];
}

/** Code and name under which a tile is checked. */
const UNSAVED = 'unsaved';

function previewEndpoint(dashboards: Dashboards, resourceChecks: ResourceChecks): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${BASE}/preview`,
    access: [ADMIN_METADATA],
    tag,
    budget: 'lists',
    summary: 'The figures of a tile that is not saved',
    description: 'The tile is checked as a save of its dashboard would, and read with the rights of the caller.',
    query: parameters(ZONE),
    body: object({ tile: described('As in `tiles` of a DASHBOARD', MAP) }),
    errors: ['CONFLICT', 'BAD_GATEWAY'],
    data: object({ tile: TILE, ...ROWS }, OF_NUMBERS),
    async check({ actor, body: { tile } }, errors) {
      if (!tile) return;
      const content = { name: UNSAVED, tiles: [tile] };
      const draft = { resourceType: DASHBOARD.name, code: UNSAVED, content };
      for (const [path, problem] of Object.entries(await resourceChecks.problemsOfDraft(actor.metadata, draft))) {
        errors[path.replace(/^(?:content\.)?tiles\.0/, 'tile')] = problem;
      }
    },
    async handle({ actor, body: { tile }, query: { timeZone }, request }) {
      const reader = { language: languageOf(request), timeZone };
      return reply(await dashboards.preview(actor, tile as unknown as Tile, reader), { verbatim: true });
    },
  });
}
