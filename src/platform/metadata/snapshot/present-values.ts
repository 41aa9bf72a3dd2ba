import type { ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import { mapRecords } from '../models/expression-values.ts';
import { presentCodes, underPresentCodes } from '../models/former-codes.ts';
import { declaredFields, type Model } from '../models/model.ts';
import { MODEL } from '../models/model-type.ts';
import type { Configuration } from '../resources/resource-type.ts';
import type { Snapshot } from './snapshot.ts';

/** Model -> former code of a field -> its present code. */
export type FormerCodes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Of the models that have renamed fields. */
export function formerCodesOf(metadata: Snapshot): FormerCodes {
  return metadata.derive(renamedFields);
}

function renamedFields(configuration: Configuration): FormerCodes {
  const all = [...configuration.all(MODEL)].map(
    ([code, model]) => [code, presentCodes(declaredFields(model))] as const,
  );
  return new Map(all.filter(([, codes]) => codes.size > 0));
}

/**
 * A JSON value whose records, which its origin names, stand under the codes that their fields have now; the
 * very same value where all do.
 */
export function valueUnderPresentCodes(value: unknown, origin: ValueOrigin, metadata: Snapshot): unknown {
  return mapRecords(value, origin, metadata, recordUnderPresentCodes);
}

/** A record that has a field under both codes was put together before and after a rename. */
function recordUnderPresentCodes(model: Model, record: Readonly<Record<string, unknown>>) {
  const fields = declaredFields(model);
  const read = underPresentCodes(record, fields);
  const left = [...presentCodes(fields).keys()].filter((former) => Object.hasOwn(read, former));
  if (left.length === 0) return read;
  return Object.fromEntries(Object.entries(read).filter(([code]) => !left.includes(code)));
}
