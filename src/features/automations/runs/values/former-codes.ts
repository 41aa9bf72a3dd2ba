import type { ValueOrigin } from '../../../../foundation/expressions/value-origin.ts';
import { formerCodesOf, type FormerCodes } from '../../../../platform/metadata/snapshot/present-values.ts';
import type { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';

const NONE: FormerCodes = new Map<string, never>();

/** The former codes that a definition names: it is pinned to a version from before the renames. */
export function formerCodesIn(definition: object, metadata: Snapshot): FormerCodes {
  const all = formerCodesOf(metadata);
  if (all.size === 0) return NONE;
  const words = new Set(JSON.stringify(definition).match(/[a-z][a-z0-9_]*/g));
  const named = [...all].map(
    ([model, codes]) => [model, new Map([...codes].filter(([former]) => words.has(former)))] as const,
  );
  return new Map(named.filter(([, codes]) => codes.size > 0));
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
