import { renamedConditions, renamedPath, withFieldNames } from '../../platform/metadata/models/renamed-paths.ts';
import type { FieldRenames } from '../../platform/metadata/resources/field-renames.ts';
import type { Tile, TileAggregate } from './dashboard-content.ts';

/** A tile over records of a model, after renames. Its columns keep the names that its rows have. */
export function renamedTile(tile: Tile, model: string, renames: FieldRenames): Tile {
  const { aggregate, conditions, compareWith, trend } = tile;
  return {
    ...tile,
    ...(aggregate && { aggregate: renamedAggregate(aggregate, model, renames) }),
    ...(conditions && { conditions: renamedConditions(conditions, model, renames) }),
    ...(trend && { trend: { ...trend, fieldName: renamedPath(trend.fieldName, model, renames) } }),
    ...(compareWith?.conditions && {
      compareWith: { ...compareWith, conditions: renamedConditions(compareWith.conditions, model, renames) },
    }),
  };
}

function renamedAggregate(aggregate: TileAggregate, model: string, renames: FieldRenames): TileAggregate {
  const { groupBy = [], measures, having, sortFields } = aggregate;
  const path = (code: string): string => renamedPath(code, model, renames);
  // A group without `as` has the name of its field: what sorts or filters by it follows.
  const names = new Map(
    groupBy.flatMap(({ fieldName, as }) => (as === undefined ? [[fieldName, path(fieldName)]] : [])),
  );
  const output = (name: string): string => names.get(name) ?? name;
  return {
    ...aggregate,
    ...(aggregate.groupBy && { groupBy: groupBy.map((group) => ({ ...group, fieldName: path(group.fieldName) })) }),
    ...(measures && {
      measures: measures.map(({ fieldName, ...measure }) => ({
        ...measure,
        ...(fieldName !== undefined && { fieldName: path(fieldName) }),
      })),
    }),
    ...(having && { having: withFieldNames(having, output) }),
    ...(sortFields && { sortFields: sortFields.map((one) => ({ ...one, fieldName: output(one.fieldName) })) }),
  };
}
