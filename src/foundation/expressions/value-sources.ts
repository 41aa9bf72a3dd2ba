/** The fields of models that a value, or a part of it, comes from. Empty for a value of no field. */
export interface Sources {
  /** `<model>.<field>`, or `<model>.*`, of which the value as a whole tells. */
  readonly fields?: readonly string[];
  /** The models of which the value is a record: each of its members is the field of that code. */
  readonly records?: readonly string[];
  /** Of the members that are known by name. */
  readonly members?: Readonly<Record<string, Sources>>;
  /** Of the items of a list. */
  readonly items?: Sources;
}

/** What the name of no field stands for: the value may come from anything. */
export const ANY_FIELD = '*';
export const ANYTHING: Sources = { fields: [ANY_FIELD] };

/** Nested literals double the known sources each time; beyond this size they become one list of fields. */
const MAX_PARTS = 1_000;

export function recordOf(modelCode: string): Sources {
  return { records: [modelCode] };
}

/** Whether a value is a record of this model, or one of several. */
export function isRecordOf({ records = [], members, items }: Sources, modelCode: string): boolean {
  return records.includes(modelCode) && !members && !items;
}

export function fromFields(fields: Iterable<string>): Sources {
  const all = [...new Set(fields)];
  return all.length === 0 ? {} : { fields: all };
}

export function withMembers(members: Iterable<readonly [name: string, sources: Sources]>): Sources {
  return bounded({ members: Object.fromEntries(members) });
}

export function listOf(items: Sources): Sources {
  return bounded({ items });
}

/** The sources of a value that may be any of several, or comes from all of them. */
export function join(...all: readonly Sources[]): Sources {
  const some = all.filter((each) => Object.keys(each).length > 0);
  const [first = {}] = some;
  if (some.every((each) => each === first)) return first;
  const records = [...new Set(some.flatMap((each) => each.records ?? []))];
  const named = Map.groupBy(
    some.flatMap(({ members = {} }) => Object.entries(members)),
    ([name]) => name,
  );
  const members = [...named].map(([name, found]) => [name, join(...found.map(([, sources]) => sources))] as const);
  const items = some.flatMap((each) => each.items ?? []);
  return {
    ...fromFields(some.flatMap((each) => each.fields ?? [])),
    ...(records.length > 0 && { records }),
    ...(members.length > 0 && { members: Object.fromEntries(members) }),
    ...(items.length > 0 && { items: join(...items) }),
  };
}

/** The sources of a member of a value. */
export function memberOf(of: Sources, name: string): Sources {
  const ofRecords = (of.records ?? []).map((model) => `${model}.${name}`);
  return join(fromFields([...(of.fields ?? []), ...ofRecords]), ownMember(of, name));
}

/** The sources of whatever item or member of a value. */
export function partOf(of: Sources): Sources {
  const ofRecords = (of.records ?? []).map((model) => `${model}.*`);
  return join(fromFields([...(of.fields ?? []), ...ofRecords]), of.items ?? {}, ...Object.values(of.members ?? {}));
}

/** All fields that a value or a part of it comes from. */
export function fieldsIn({ fields = [], records = [], members = {}, items }: Sources): string[] {
  const parts = [...Object.values(members), ...(items ? [items] : [])];
  const all = [...fields, ...records.map((model) => `${model}.*`), ...parts.flatMap(fieldsIn)];
  return [...new Set(all)];
}

/** The sources of a value that is computed from others. */
export function computedFrom(...all: readonly Sources[]): Sources {
  return fromFields(all.flatMap(fieldsIn));
}

function ownMember({ members = {} }: Sources, name: string): Sources {
  return Object.hasOwn(members, name) ? (members[name] ?? {}) : {};
}

function bounded(sources: Sources): Sources {
  return partsIn(sources, MAX_PARTS) > MAX_PARTS ? computedFrom(sources) : sources;
}

/** Number of parts; counting stops above `most`. */
function partsIn({ members = {}, items }: Sources, most: number): number {
  let count = 1;
  for (const part of [...Object.values(members), ...(items ? [items] : [])]) {
    if (count > most) break;
    count += partsIn(part, most - count);
  }
  return count;
}
