import type { ValueOrigin } from '../../../../foundation/expressions/value-origin.ts';
import { presentCodes } from '../../../../platform/metadata/models/former-codes.ts';
import { declaredFields } from '../../../../platform/metadata/models/model.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import type { Configuration } from '../../../../platform/metadata/resources/resource-type.ts';
import type { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';

/** Model -> former code of a field -> its present code. */
export type FormerCodes = ReadonlyMap<string, ReadonlyMap<string, string>>;

const NONE: FormerCodes = new Map<string, never>();

/** The former codes that a definition names: it is pinned to a version from before the renames. */
export function formerCodesIn(definition: object, metadata: Snapshot): FormerCodes {
  const all = metadata.derive(renamedFields);
  if (all.size === 0) return NONE;
  const words = new Set(JSON.stringify(definition).match(/[a-z][a-z0-9_]*/g));
  const named = [...all].map(
    ([model, codes]) => [model, new Map([...codes].filter(([former]) => words.has(former)))] as const,
  );
  return new Map(named.filter(([, codes]) => codes.size > 0));
}

function renamedFields(configuration: Configuration): FormerCodes {
  const all = [...configuration.all(MODEL)].map(
    ([code, model]) => [code, presentCodes(declaredFields(model))] as const,
  );
  return new Map(all.filter(([, codes]) => codes.size > 0));
}

/** A value in which the fields of records have their former codes as well. */
export function withFormerCodes(value: unknown, origin: ValueOrigin, former: FormerCodes): unknown {
  if (former.size === 0 || typeof value !== 'object' || value === null) return value;
  const { records = [], members = {}, items } = origin;
  if (Array.isArray(value)) return items ? value.map((item) => withFormerCodes(item, items, former)) : value;
  const read: Record<string, unknown> = { ...value };
  for (const [name, of] of Object.entries(members)) {
    if (Object.hasOwn(read, name)) read[name] = withFormerCodes(read[name], of, former);
  }
  for (const [from, to] of records.flatMap((model) => [...(former.get(model) ?? [])])) {
    if (Object.hasOwn(read, to) && !Object.hasOwn(read, from)) read[from] = read[to];
  }
  return read;
}
