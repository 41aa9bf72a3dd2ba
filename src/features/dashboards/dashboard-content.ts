import { Type, type Static } from 'typebox';
import { FILTERS } from '../../platform/metadata/content/filter-content.ts';
import { closedObject, NAME } from '../../platform/metadata/content/schema-parts.ts';
import { DATE_PARTS, FUNCTIONS } from '../../platform/records/aggregates/aggregate-schema.ts';
import { MAX_GROUP_FIELDS, MAX_GROUPS, MAX_SORT_FIELDS } from '../../platform/records/records.limits.ts';
import { GRID, MAX_COLUMNS, MAX_POINTS, MAX_TILES, USUAL_POINTS } from './dashboards.limits.ts';

export const TILE_KINDS = ['number', 'bar', 'line', 'table'] as const;

const PATH = Type.String({ minLength: 1, maxLength: 200 });
const AS = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' });
const LABEL = Type.Optional(NAME);

const GROUP = closedObject({
  fieldName: PATH,
  part: Type.Optional(Type.Enum([...DATE_PARTS])),
  timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  as: Type.Optional(AS),
  label: LABEL,
});
const MEASURE = closedObject({ fn: Type.Enum([...FUNCTIONS]), fieldName: Type.Optional(PATH), as: AS, label: LABEL });

/** What is computed over the records of a page. */
const AGGREGATE = closedObject({
  groupBy: Type.Optional(Type.Array(GROUP, { minItems: 1, maxItems: MAX_GROUP_FIELDS })),
  measures: Type.Optional(Type.Array(MEASURE, { minItems: 1, maxItems: MAX_COLUMNS })),
  having: Type.Optional(FILTERS),
  sortFields: Type.Optional(
    Type.Array(closedObject({ fieldName: PATH, order: Type.Enum(['asc', 'desc']) }), { maxItems: MAX_SORT_FIELDS }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_GROUPS, description: 'Groups; 100 by default' })),
});
export type TileAggregate = Static<typeof AGGREGATE>;

const PARAMS = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    maxProperties: 50,
    description: 'Values of the params of the page or the data source',
  }),
);

const TILE = closedObject({
  code: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
  title: NAME,
  kind: Type.Enum([...TILE_KINDS]),
  width: Type.Optional(Type.Integer({ minimum: 2, maximum: GRID, description: `Of ${GRID} columns` })),
  page: Type.Optional(Type.String({ maxLength: 64, description: 'The code of a PAGE_SCHEMA: figures of its records' })),
  dataSource: Type.Optional(
    Type.String({ maxLength: 64, description: 'The code of a DATASOURCE, in place of `page`' }),
  ),
  aggregate: Type.Optional(AGGREGATE),
  conditions: Type.Optional(FILTERS),
  params: PARAMS,
  columns: Type.Optional(
    Type.Array(closedObject({ name: Type.String({ minLength: 1, maxLength: 100 }), label: LABEL }), {
      minItems: 1,
      maxItems: MAX_COLUMNS,
      description: 'Columns of the data source: in a chart first what is counted, then the figures',
    }),
  ),
  trend: Type.Optional(
    closedObject(
      {
        fieldName: PATH,
        part: Type.Enum([...DATE_PARTS]),
        timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        points: Type.Optional(
          Type.Integer({
            minimum: 2,
            maximum: MAX_POINTS,
            description: `The newest of them; ${USUAL_POINTS} by default`,
          }),
        ),
      },
      { description: 'The same number by parts of a date, as a small line' },
    ),
  ),
  compareWith: Type.Optional(
    closedObject(
      { label: LABEL, conditions: Type.Optional(FILTERS), params: PARAMS },
      { description: 'The same number with these conditions or params in place of its own' },
    ),
  ),
});
export type Tile = Static<typeof TILE>;

export const DASHBOARD_CONTENT = closedObject({
  name: NAME,
  tiles: Type.Array(TILE, { minItems: 1, maxItems: MAX_TILES }),
});
export type DashboardContent = Static<typeof DASHBOARD_CONTENT>;

/** The figures of a tile; without measures, how many records there are. */
export function measuresOf({ measures }: TileAggregate): NonNullable<TileAggregate['measures']> {
  return measures ?? [{ fn: 'count', as: 'count' }];
}

/** The name of the time in the rows of a trend. */
export const TREND_TIME = '_at';

/** The figures of a tile's trend, the newest first, as the record API takes them. */
export function trendOf({ aggregate = {} }: Tile, { fieldName, part, timeZone, points }: NonNullable<Tile['trend']>) {
  return {
    groupBy: [{ fieldName, part, as: TREND_TIME, ...(timeZone !== undefined && { timeZone }) }],
    measures: aggregateOf({ aggregate }).measures,
    sortFields: [{ fieldName: TREND_TIME, order: 'desc' as const }],
    limit: points ?? USUAL_POINTS,
  };
}

/** The figures as the record API takes them: labels are for people. */
export function aggregateOf({ aggregate = {} }: Pick<Tile, 'aggregate'>) {
  const { groupBy = [], ...rest } = aggregate;
  return {
    ...rest,
    groupBy: groupBy.map(({ label: _, ...group }) => group),
    measures: measuresOf(aggregate).map(({ label: _, ...measure }) => measure),
  };
}
