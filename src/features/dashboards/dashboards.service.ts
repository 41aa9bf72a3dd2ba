import { Parameters } from '../../foundation/database/parameters.ts';
import { ApplicationError, conflict, notFound, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import { translateName, type Language } from '../../foundation/i18n/languages.ts';
import { authorize, type Actor } from '../../platform/auth/requests/actor.ts';
import type { FieldType } from '../../platform/metadata/field-types/field-types.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { aggregateStatement } from '../../platform/records/aggregates/aggregate-statement.ts';
import { RelatedFields } from '../../platform/records/conditions/related-fields.ts';
import { findModelOfPage } from '../../platform/records/pages/page-model.ts';
import type { AggregateResult } from '../../platform/records/reader/record-reader.ts';
import type { DataSources } from '../datasources/datasources.service.ts';
import type { RecordService } from '../records/service/records.service.ts';
import { aggregateOf, measuresOf, TREND_TIME, trendOf, type DashboardContent, type Tile } from './dashboard-content.ts';
import { DASHBOARD } from './dashboard-type.ts';
import { MAX_ROWS } from './dashboards.limits.ts';

/** A column of the rows of a tile. */
interface TileColumn {
  readonly name: string;
  /** Null: it says how many there are. */
  readonly label: string | null;
  /** Null: the rows of a data source tell. */
  readonly type: FieldType | null;
  /** What stands for a group, before the figures. */
  readonly isGroup: boolean;
  readonly fieldName?: string;
  readonly part?: string;
  readonly timeZone?: string;
}

/** For whom rows are made. */
interface TileReader {
  readonly language: Language;
  /** Of the parts of moments where the tile names none; UTC by default. */
  readonly timeZone?: string | undefined;
}

/** The conditions or params in whose place others stand, for the number that it is compared with. */
type Basis = Pick<Tile, 'conditions' | 'params'>;

export interface TileRows extends AggregateResult {
  /** The same number over what it is compared with. */
  readonly previous?: AggregateResult['rows'];
  /** The same number by parts of a date, the oldest first. */
  readonly trend?: readonly { readonly at: unknown; readonly value: unknown }[];
}

const WIDTHS = { number: 3, bar: 6, line: 6, table: 6 } as const;

/** Figures of the configuration, as their caller may see them. */
export class Dashboards {
  readonly #records: RecordService;
  readonly #sources: DataSources;

  constructor(records: RecordService, sources: DataSources) {
    this.#records = records;
    this.#sources = sources;
  }

  /** Those that the actor may read, by code. */
  list(actor: Actor, language: Language) {
    const all = actor.metadata.all(DASHBOARD);
    const readable = [...all.keys()].filter((code) => actor.permissions.has(permissionCode.dashboardRead(code))).sort();
    return readable.map((code) => ({ code, name: translateName(all.get(code)?.name ?? '', language) }));
  }

  /** With the tiles that the actor may see. @throws NOT_FOUND */
  get(actor: Actor, code: string, language: Language) {
    const { name, tiles } = actor.metadata.get(DASHBOARD, code);
    return {
      code,
      name: translateName(name, language),
      tiles: tiles.filter((tile) => maySee(actor, tile)).map((tile) => describe(tile, actor, language)),
    };
  }

  /**
   * The rows of a tile.
   * @throws NOT_FOUND; FORBIDDEN with `data.permission`; CONFLICT (DASHBOARD) where it cannot be computed any
   * more; whatever a data source throws
   */
  async rows(actor: Actor, code: string, tileCode: string, reader: TileReader): Promise<TileRows> {
    return this.#rowsOf(tileOf(actor.metadata.get(DASHBOARD, code), tileCode), actor, reader);
  }

  /** A tile that is not saved, with its rows, as its author may see them. @throws as `rows` */
  async preview(actor: Actor, tile: Tile, reader: TileReader) {
    const rows = await this.#rowsOf(tile, actor, reader);
    return { tile: describe(tile, actor, reader.language), ...rows };
  }

  async #rowsOf(tile: Tile, actor: Actor, reader: TileReader): Promise<TileRows> {
    const { compareWith, trend } = tile;
    const [now, before, line] = await Promise.all([
      this.#rowsOver(tile, actor, reader),
      compareWith && this.#rowsOver({ ...tile, ...pick(compareWith) }, actor, reader),
      trend && this.#trendOf(tile, trend, actor, reader),
    ]);
    return { ...now, ...(before && { previous: before.rows }), ...(line && { trend: line }) };
  }

  async #trendOf(tile: Tile, trend: NonNullable<Tile['trend']>, actor: Actor, reader: TileReader) {
    const { conditions = [] } = tile;
    const dated = [...conditions, { fieldName: trend.fieldName, operator: 'is_not_null' }];
    const { rows } = await this.#rowsOver(
      { ...tile, aggregate: trendOf(tile, trend), conditions: dated },
      actor,
      reader,
    );
    const name = measuresOf(tile.aggregate ?? {})[0]?.as ?? '';
    return rows.toReversed().map((row) => ({ at: row[TREND_TIME] ?? null, value: row[name] ?? null }));
  }

  async #rowsOver(tile: Tile, actor: Actor, { language, timeZone }: TileReader): Promise<AggregateResult> {
    const { page: pageKey, dataSource, conditions = [], params = {} } = tile;
    if (dataSource !== undefined) {
      authorize(actor, permissionCode.dataSourceRead(dataSource));
      const { rows } = await this.#sources.rows(dataSource, { actor, params, maxItems: MAX_ROWS + 1, language });
      return { rows: rows.slice(0, MAX_ROWS) as AggregateResult['rows'], truncated: rows.length > MAX_ROWS };
    }
    const model = modelOf(actor, tile);
    try {
      const body = {
        ...inZone(aggregateOf(tile), model, actor, timeZone),
        pageKey: pageKey ?? null,
        conditions,
        extraParams: params,
      };
      return await this.#records.aggregate(actor, model.code, body);
    } catch (error) {
      if (error instanceof ApplicationError && error.code === 'VALIDATION_ERROR') throw broken(error.data?.fieldErrors);
      throw error;
    }
  }
}

/** Parts of moments are those of a zone, where the tile names none. */
function inZone(
  { groupBy, ...rest }: ReturnType<typeof aggregateOf>,
  model: Model,
  actor: Actor,
  timeZone: string | undefined,
) {
  if (timeZone === undefined) return { ...rest, groupBy };
  const fields = new RelatedFields(model, actor, new Parameters());
  const isMoment = (path: string): boolean => fields.find(path)?.field.type === 'datetime';
  return {
    ...rest,
    groupBy: groupBy.map((group) =>
      group.part !== undefined && isMoment(group.fieldName) ? { timeZone, ...group } : group,
    ),
  };
}

function pick({ conditions, params }: Basis): Basis {
  return { ...(conditions && { conditions }), ...(params && { params }) };
}

function tileOf({ tiles }: DashboardContent, code: string): Tile {
  const tile = tiles.find((one) => one.code === code);
  if (!tile) throw notFound('There is no such tile');
  return tile;
}

/** @throws CONFLICT (DASHBOARD) where its page is gone */
function modelOf(actor: Actor, { page = '' }: Tile): Model {
  const model = findModelOfPage(actor.metadata, page);
  if (!model) throw broken({ page: 'There is no such page' });
  return model;
}

/** It was right when it was saved: its caller is not to blame. */
function broken(errors: unknown): ApplicationError {
  const [[field, problem] = ['', 'is required' as const]] = Object.entries((errors ?? {}) as FieldErrors);
  const told = text('{field}: {problem}', { field, problem });
  return conflict('DASHBOARD', text('The tile cannot be computed: {problem}', { problem: told }));
}

/** Whether nothing of a tile is hidden from the actor. */
function maySee(actor: Actor, { dataSource, ...tile }: Tile): boolean {
  if (dataSource !== undefined) return actor.permissions.has(permissionCode.dataSourceRead(dataSource));
  const model = findModelOfPage(actor.metadata, tile.page ?? '');
  if (!model || !actor.permissions.has(permissionCode.recordRead(model.code))) return false;
  const errors: FieldErrors = {};
  try {
    for (const { conditions: given = [] } of [tile, tile.compareWith ?? {}]) {
      aggregateStatement({ model, actor }, aggregateOf(tile), { name: 'conditions', given }, errors);
    }
    const given = tile.conditions ?? [];
    if (tile.trend)
      aggregateStatement({ model, actor }, trendOf(tile, tile.trend), { name: 'conditions', given }, errors);
  } catch (error) {
    if (error instanceof ApplicationError) return false;
    throw error;
  }
  return Object.keys(errors).length === 0;
}

function describe(tile: Tile, actor: Actor, language: Language) {
  const { code, title, kind, width, page, dataSource, conditions = [], params, compareWith, trend } = tile;
  return {
    code,
    title: translateName(title, language),
    kind,
    width: width ?? WIDTHS[kind],
    ...(page !== undefined && { pageKey: page, conditions }),
    ...(dataSource !== undefined && { dataSource }),
    ...(params && { params }),
    ...(trend && { trend: { part: trend.part } }),
    ...(compareWith && {
      comparison: { label: compareWith.label ? translateName(compareWith.label, language) : null },
    }),
    columns:
      page === undefined
        ? columnsOfSource(tile, language)
        : columnsOfFigures(tile, modelOf(actor, tile), actor, language),
  };
}

/** Without columns, those of the rows are shown. */
function columnsOfSource({ columns = [], kind }: Tile, language: Language): TileColumn[] {
  return columns.map(({ name, label }, index) => ({
    name,
    label: translateName(label ?? name, language),
    type: null,
    isGroup: kind !== 'number' && index === 0,
  }));
}

function columnsOfFigures({ aggregate = {} }: Tile, model: Model, actor: Actor, language: Language): TileColumn[] {
  const fields = new RelatedFields(model, actor, new Parameters());
  const nameOf = (path: string): string => {
    const field = fields.find(path)?.field;
    return translateName(field?.content?.name ?? path, language);
  };
  const groups = (aggregate.groupBy ?? []).map(({ fieldName, part, timeZone, as = fieldName, label }): TileColumn => {
    const type = fields.find(fieldName)?.field.type ?? null;
    const name = label === undefined ? nameOf(fieldName) : translateName(label, language);
    const by = { ...(part !== undefined && { part }), ...(timeZone !== undefined && { timeZone }) };
    return { name: as, label: name, type, isGroup: true, fieldName, ...by };
  });
  const measures = measuresOf(aggregate).map(({ fn, fieldName, as, label }): TileColumn => {
    const own = fieldName === undefined ? null : nameOf(fieldName);
    const isCount = fn === 'count' || fn === 'countDistinct';
    const ofField = fieldName === undefined ? undefined : fields.find(fieldName)?.field.type;
    const type = isCount ? 'integer' : fn === 'min' || fn === 'max' ? (ofField ?? null) : 'decimal';
    const name = label === undefined ? own : translateName(label, language);
    return { name: as, label: name, type, isGroup: false, ...(fieldName !== undefined && { fieldName }) };
  });
  return [...groups, ...measures];
}
