import type { FieldOptions } from '../../../platform/metadata/field-types/field-options.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';

/** A relation field of a model, seen from the model that it points to. */
export interface Referrer {
  readonly model: Model;
  readonly fieldCode: string;
  readonly onDelete: NonNullable<FieldOptions['onDelete']>;
}

/** Model code -> the relation fields that point to its records. */
export function referrersOf(configuration: Configuration): ReadonlyMap<string, readonly Referrer[]> {
  const referrers = [...configuration.all(MODEL).values()].flatMap((model) =>
    [...model.fields.values()].flatMap(({ code, content }) =>
      content?.target === undefined
        ? []
        : [{ target: content.target, model, fieldCode: code, onDelete: content.onDelete ?? 'restrict' }],
    ),
  );
  return Map.groupBy(referrers, ({ target }) => target);
}

/** These models, and those whose records a deletion among them changes. */
export function modelsReachedFrom(codes: Iterable<string>, metadata: Snapshot): ReadonlySet<string> {
  const reached = new Set(codes);
  const referrers = metadata.derive(referrersOf);
  // A set that grows while it is walked is walked to its new end.
  for (const code of reached) {
    for (const { model, onDelete } of referrers.get(code) ?? []) if (onDelete !== 'restrict') reached.add(model.code);
  }
  return reached;
}
