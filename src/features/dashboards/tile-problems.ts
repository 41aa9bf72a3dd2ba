import { problemOfTimeZone } from '../../foundation/time/time-zone-problem.ts';
import { isTimeZone } from '../../foundation/time/time-zones.ts';
import { ApplicationError, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import type { FilterContent } from '../../platform/metadata/content/filter-content.ts';
import type { FieldType } from '../../platform/metadata/field-types/field-types.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import type { Configuration } from '../../platform/metadata/resources/resource-type.ts';
import { aggregateStatement, isNumeric } from '../../platform/records/aggregates/aggregate-statement.ts';
import type { RuleSubject } from '../../platform/records/conditions/row-rules.ts';
import { problemsByPlace } from '../../platform/records/conditions/problems-by-place.ts';
import {
  authorOf,
  namesOfParams,
  problemOfConditions,
  savedScope,
} from '../../platform/records/conditions/saved-conditions.ts';
import { PAGE_SCHEMA } from '../../platform/records/pages/page-type.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import { DATASOURCE } from '../datasources/datasource-type.ts';
import { columnNamesOf, paramsOf } from '../datasources/kinds/kinds.ts';
import { checkParams } from '../datasources/params/params.ts';
import { aggregateOf, measuresOf, trendOf, type Tile } from './dashboard-content.ts';

/** Keys that only tiles over a page have, and only those over a data source. */
const OF_PAGES = ['aggregate', 'conditions', 'trend'] as const;

/** Problems of a tile by itself: path below the tile -> problem. */
export function problemsOfTile(tile: Tile): FieldErrors {
  const { page, dataSource, kind, compareWith, trend } = tile;
  const problems: FieldErrors = {};
  if (page === undefined && dataSource === undefined) problems.page = 'is required';
  if (page !== undefined && dataSource !== undefined) problems.dataSource = 'is not beside page';
  if (compareWith && kind !== 'number') problems.compareWith = text('is not for {kind}', { kind });
  if (trend && kind !== 'number') problems.trend = text('is not for {kind}', { kind });
  if (page !== undefined) {
    if (tile.columns) problems.columns = text('is not for {kind}', { kind: 'page' });
    return { ...problems, ...problemsOfShape(tile) };
  }
  for (const key of OF_PAGES) if (tile[key]) problems[key] = text('is not for {kind}', { kind: 'dataSource' });
  if (compareWith?.conditions) problems['compareWith.conditions'] = text('is not for {kind}', { kind: 'dataSource' });
  return { ...problems, ...problemOfColumns(tile) };
}

/** Whether the figures are of the form that the kind shows. */
function problemsOfShape({ kind, aggregate = {}, trend }: Tile): FieldErrors {
  const { groupBy = [] } = aggregate;
  const problems: FieldErrors = {};
  const isChart = kind === 'bar' || kind === 'line';
  if (kind === 'number' && groupBy.length > 0) problems['aggregate.groupBy'] = text('is not for {kind}', { kind });
  if (kind === 'number' && measuresOf(aggregate).length > 1) {
    problems['aggregate.measures'] = text('must hold exactly {count}', { count: 1 });
  }
  if (isChart && groupBy.length !== 1) problems['aggregate.groupBy'] = text('must hold exactly {count}', { count: 1 });
  if (kind === 'table' && groupBy.length === 0) problems['aggregate.groupBy'] = 'is required';
  const zones = groupBy.map(({ timeZone }, index) => [`aggregate.groupBy.${index}`, timeZone] as const);
  for (const [path, timeZone] of [...zones, ['trend', trend?.timeZone] as const]) {
    if (timeZone === undefined || isTimeZone(timeZone)) continue;
    problems[`${path}.timeZone`] = problemOfTimeZone(timeZone);
  }
  return problems;
}

function problemOfColumns({ kind, columns, dataSource }: Tile): FieldErrors {
  if (dataSource === undefined || kind === 'table') return {};
  if (!columns) return { columns: 'is required' };
  if (kind === 'number')
    return columns.length === 1 ? {} : { columns: text('must hold exactly {count}', { count: 1 }) };
  return columns.length > 1 ? {} : { columns: 'must name what is counted, and a figure' };
}

/** Problems of a tile among the other resources: path below the tile -> problem. */
export function problemsAmongOthers(tile: Tile, after: Configuration): FieldErrors {
  const { page: pageKey = '', dataSource } = tile;
  if (dataSource !== undefined) return problemsWithSource(tile, dataSource, after);
  const page = after.find(PAGE_SCHEMA, pageKey);
  const model = page && after.find(MODEL, page.modelCode);
  if (!model) return {};
  const author = authorOf(after.all(MODEL));
  const needed = namesOfParams(page.paramConditions);
  const missing = (given: object = {}) => needed.filter((name) => !Object.hasOwn(given, name));
  const { compareWith } = tile;
  return {
    ...Object.fromEntries(missing(tile.params).map((name) => [`params.${name}`, 'is required' as const])),
    ...(compareWith?.params &&
      Object.fromEntries(
        missing(compareWith.params).map((name) => [`compareWith.params.${name}`, 'is required' as const]),
      )),
    ...problemOfFilter('conditions', tile.conditions, model, author),
    ...problemOfFilter('compareWith.conditions', compareWith?.conditions, model, author),
    ...problemsOfFigures(tile, model, author),
    ...problemsOfTrend(tile, model, author),
  };
}

function problemsWithSource({ params = {}, columns = [], compareWith }: Tile, code: string, after: Configuration) {
  const source = after.find(DATASOURCE, code);
  const problems: FieldErrors = {};
  if (!source) return problems;
  checkParams(paramsOf(source), params, problems);
  if (compareWith?.params) {
    const compared: FieldErrors = {};
    checkParams(paramsOf(source), compareWith.params, compared);
    for (const [path, problem] of Object.entries(compared)) problems[`compareWith.${path}`] = problem;
  }
  const known = columnNamesOf(source);
  columns.forEach(({ name }, index) => {
    if (known && !known.includes(name)) problems[`columns.${index}.name`] = text('is no column of {code}', { code });
  });
  return problems;
}

function problemOfFilter(
  path: string,
  given: FilterContent[] | undefined,
  model: Model,
  author: RuleSubject,
): FieldErrors {
  if (!given) return {};
  return problemsByPlace(given, path, (some) => {
    const [param] = namesOfParams(some);
    return param === undefined
      ? problemOfConditions(some, savedScope(model, author))
      : text('names {param}, which only pages and views may', { param: `$params.${param}` });
  });
}

function problemsOfFigures(tile: Tile, model: Model, author: RuleSubject): FieldErrors {
  const errors: FieldErrors = {};
  const problems: FieldErrors = {};
  try {
    const { types, names } = aggregateStatement(
      { model, actor: author },
      aggregateOf(tile),
      { name: 'conditions', given: [] },
      errors,
    );
    if (Object.keys(errors).length === 0) Object.assign(problems, problemsOfTypes(tile, names, types));
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    Object.assign(errors, error.data?.fieldErrors);
  }
  for (const [path, problem] of Object.entries(errors)) {
    if (/^(groupBy|measures|sortFields)\b/.test(path)) problems[`aggregate.${path}`] = problem;
    else
      problems['aggregate.having'] = path === 'having' ? problem : text('{field}: {problem}', { field: path, problem });
  }
  return problems;
}

function problemsOfTrend(tile: Tile, model: Model, author: RuleSubject): FieldErrors {
  if (!tile.trend) return {};
  const errors: FieldErrors = {};
  try {
    aggregateStatement({ model, actor: author }, trendOf(tile, tile.trend), { name: 'conditions', given: [] }, errors);
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    Object.assign(errors, error.data?.fieldErrors);
  }
  const ofTrend = Object.entries(errors).flatMap(([path, problem]) => {
    const [, key] = /^groupBy\.0\.(fieldName|part|timeZone)$/.exec(path) ?? [];
    return key === undefined ? [] : [[`trend.${key}`, problem] as const];
  });
  return Object.fromEntries(ofTrend);
}

/** A line goes along a time, and figures of charts are numbers. */
function problemsOfTypes({ kind, aggregate = {} }: Tile, names: readonly string[], types: readonly FieldType[]) {
  const problems: FieldErrors = {};
  if (kind !== 'bar' && kind !== 'line') return problems;
  const [group] = aggregate.groupBy ?? [];
  const first = types[0];
  const isTime = group?.part !== undefined || first === 'date' || first === 'datetime';
  if (kind === 'line' && !isTime) problems['aggregate.groupBy.0.fieldName'] = 'must be a date or a datetime';
  names.slice(1).forEach((_, index) => {
    const type = types[index + 1];
    if (type && !isNumeric(type))
      problems[`aggregate.measures.${index}.fn`] = text('is not for a {type} field', { type });
  });
  return problems;
}
