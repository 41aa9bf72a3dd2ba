import { PID_PATTERN } from '../../../foundation/database/pid.ts';
import type { ToolLogEntry } from './tool-call.ts';

/** A record that a reply has looked at. */
interface ReadRecord {
  readonly modelCode: string;
  readonly pid: string;
}

const PID = new RegExp(PID_PATTERN);

/** The records that the tools of a reply have answered, each once. */
export function recordsRead(log: readonly ToolLogEntry[]): ReadRecord[] {
  const found = new Map<string, ReadRecord>();
  for (const entry of log) {
    if (entry.kind !== 'result' || !entry.result.ok) continue;
    const {
      model,
      record,
      records = [],
    } = (entry.result.data ?? {}) as {
      readonly model?: unknown;
      readonly record?: { readonly pid?: unknown };
      readonly records?: readonly { readonly pid?: unknown }[];
    };
    if (typeof model !== 'string') continue;
    for (const { pid } of [...(record ? [record] : []), ...records]) {
      if (typeof pid === 'string' && PID.test(pid)) found.set(pid, { modelCode: model, pid });
    }
  }
  return [...found.values()];
}
