import type { RecordChange } from './change-log.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What names the record of a change. */
export const recordOf = ({ modelCode, recordPid }: RecordChange): string => `${modelCode} ${recordPid}`;

/**
 * The changes of one transaction with one for each record, in the order of their first writes. A record that
 * it has both created and deleted keeps two: its history has it.
 */
export function mergedChanges(changes: readonly RecordChange[]): RecordChange[] {
  const byRecord = Map.groupBy(changes, recordOf);
  if (byRecord.size === changes.length) return [...changes];
  return [...byRecord.values()].flatMap((own) => {
    const last = own.at(-1);
    if (own.length === 1 || !last) return own;
    if (last.after === null && own[0]?.before === null) return [merged(own.slice(0, -1)), last];
    return [merged(own)];
  });
}

/** The changes of one record as one: from what it was before the first to what it is after the last. */
function merged(changes: readonly RecordChange[]): RecordChange {
  const [first, last] = [changes[0], changes.at(-1)] as [RecordChange, RecordChange];
  if (first === last) return first;
  const before = first.before && (Object.assign({}, ...changes.map((each) => each.before).toReversed()) as Fields);
  if (last.after === null) return { ...last, before };
  const after = Object.assign({}, ...changes.map((each) => each.after)) as Record<string, unknown>;
  // What has its first value again has not changed.
  const codes = Object.keys(after).filter((code) => !before || !isSame(before[code], after[code]));
  return {
    ...last,
    action: first.action,
    before: before && only(codes, before),
    after: only(codes, after),
    unchanged: last.unchanged && without(codes, { ...last.unchanged, ...after }),
  };
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function only(codes: readonly string[], fields: Fields): Fields {
  return Object.fromEntries(codes.map((code) => [code, fields[code] ?? null]));
}

function without(codes: readonly string[], fields: Fields): Fields {
  const left = new Set(codes);
  return Object.fromEntries(Object.entries(fields).filter(([code]) => !left.has(code)));
}
