/** The fields of models that a value, or a part of it, comes from. Empty for a value of no field. */
export interface ValueOrigin {
  /** `<model>.<field>`, or `<model>.*`, for the value as a whole. */
  readonly fields?: readonly string[];
  /** The models of which the value is a record: each of its members is the field of that code. */
  readonly records?: readonly string[];
  /** Of the members that are known by name. */
  readonly members?: Readonly<Record<string, ValueOrigin>>;
  /** Of the items of a list. */
  readonly items?: ValueOrigin;
}

/** What the name of no field stands for: the value may come from anything. */
export const ANY_FIELD = '*';
export const ANYTHING: ValueOrigin = { fields: [ANY_FIELD] };

/** Nested literals double an origin each time; beyond this many parts it becomes one list of fields. */
const MAX_PARTS = 1_000;

export function recordOf(modelCode: string): ValueOrigin {
  return { records: [modelCode] };
}

/** Whether a value is a record of this model, or one of several. */
export function isRecordOf({ records = [], members, items }: ValueOrigin, modelCode: string): boolean {
  return records.includes(modelCode) && !members && !items;
}

export function fromFields(fields: Iterable<string>): ValueOrigin {
  const all = [...new Set(fields)];
  return all.length === 0 ? {} : { fields: all };
}

export function withMembers(members: Iterable<readonly [name: string, origin: ValueOrigin]>): ValueOrigin {
  return bounded({ members: Object.fromEntries(members) });
}

export function listOf(items: ValueOrigin): ValueOrigin {
  return bounded({ items });
}

/** The origin of a value that may be any of several, or comes from all of them. */
export function join(...all: readonly ValueOrigin[]): ValueOrigin {
  const some = all.filter((each) => Object.keys(each).length > 0);
  const [first = {}] = some;
  if (some.every((each) => each === first)) return first;
  const records = [...new Set(some.flatMap((each) => each.records ?? []))];
  const named = Map.groupBy(
    some.flatMap(({ members = {} }) => Object.entries(members)),
    ([name]) => name,
  );
  const members = [...named].map(([name, found]) => [name, join(...found.map(([, origin]) => origin))] as const);
  const items = some.flatMap((each) => each.items ?? []);
  return {
    ...fromFields(some.flatMap((each) => each.fields ?? [])),
    ...(records.length > 0 && { records }),
    ...(members.length > 0 && { members: Object.fromEntries(members) }),
    ...(items.length > 0 && { items: join(...items) }),
  };
}

/** The origin of a member of a value. */
export function memberOf(of: ValueOrigin, name: string): ValueOrigin {
  const ofRecords = (of.records ?? []).map((model) => `${model}.${name}`);
  return join(fromFields([...(of.fields ?? []), ...ofRecords]), ownMember(of, name));
}

/** The origin of any item or member of a value. */
export function partOf(of: ValueOrigin): ValueOrigin {
  const ofRecords = (of.records ?? []).map((model) => `${model}.*`);
  return join(fromFields([...(of.fields ?? []), ...ofRecords]), of.items ?? {}, ...Object.values(of.members ?? {}));
}

/** All fields that a value or a part of it comes from. */
export function fieldsIn({ fields = [], records = [], members = {}, items }: ValueOrigin): string[] {
  const parts = [...Object.values(members), ...(items ? [items] : [])];
  const all = [...fields, ...records.map((model) => `${model}.*`), ...parts.flatMap(fieldsIn)];
  return [...new Set(all)];
}

/** The origin of a value that is computed from others. */
export function computedFrom(...all: readonly ValueOrigin[]): ValueOrigin {
  return fromFields(all.flatMap(fieldsIn));
}

function ownMember({ members = {} }: ValueOrigin, name: string): ValueOrigin {
  return Object.hasOwn(members, name) ? (members[name] ?? {}) : {};
}

function bounded(origin: ValueOrigin): ValueOrigin {
  return partsIn(origin, MAX_PARTS) > MAX_PARTS ? computedFrom(origin) : origin;
}

/** Number of parts; counting stops above `most`. */
function partsIn({ members = {}, items }: ValueOrigin, most: number): number {
  let count = 1;
  for (const part of [...Object.values(members), ...(items ? [items] : [])]) {
    if (count > most) break;
    count += partsIn(part, most - count);
  }
  return count;
}
