import type { RecordChange } from '../../../platform/events/changes/change-log.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { RecordData } from '../record-reader.ts';

/** A record before and after a write; null where it was not there, or is not any more. */
export interface RecordStates {
  readonly before: RecordData | null;
  readonly after: RecordData | null;
}

/** What the change log says of written records: their own fields that have changed. */
export function changesOf(
  model: Model,
  action: RecordChange['action'],
  written: readonly RecordStates[],
): RecordChange[] {
  const own = [...model.fields.values()].flatMap(({ code, content }) => (content ? [code] : []));
  return written.map(({ before, after }) => {
    const changed = before && after ? own.filter((code) => !isSame(before[code], after[code])) : own;
    return {
      modelCode: model.code,
      recordPid: String((after ?? before)?.pid),
      action,
      before: before && partOf(before, changed),
      after: after && partOf(after, changed),
    };
  });
}

/** Some fields of a record. */
export function partOf(record: RecordData, codes: readonly string[]): RecordData {
  const part: Record<string, unknown> = {};
  for (const code of codes) part[code] = record[code] ?? null;
  return part;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
