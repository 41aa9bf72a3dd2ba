import { createHash } from 'node:crypto';
import type { ExportEntry } from '../../../environments/environment-export.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { canonicalHash, canonicalJson } from '../../../../foundation/validation/canonical-json.ts';

/** What a promotion does with one resource of the target. */
export interface PlanItem {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  /** The code that the target has it under, where that is another one. */
  readonly renamedFrom?: string;
  readonly action: 'ADD' | 'UPDATE' | 'REMOVE';
  readonly sourceVersion: number | null;
  readonly targetVersion: number | null;
  /** SHA-256 of the content the target will have; null for a removal. */
  readonly contentHash: string | null;
  readonly ddl: readonly string[];
}

/** A plan that was found good, sealed: it is applied as it is, or not at all. */
export interface Plan {
  /** Over the source, the target, and every item: versions, contents, DDL. */
  readonly hash: string;
  readonly sealedAt: string;
  readonly items: readonly PlanItem[];
}

/** SHA-256 of `{items, sourceName, targetCode}` as canonical JSON, which is never there as a whole. */
export async function planHash(sourceName: string, targetCode: string, items: readonly PlanItem[]): Promise<string> {
  const hash = createHash('sha256').update('{"items":[');
  for (const [index, item] of items.entries()) {
    await letOthersRun();
    hash.update(`${index === 0 ? '' : ','}${canonicalJson(item)}`);
  }
  return hash.update(`],${canonicalJson({ sourceName, targetCode }).slice(1)}`).digest('hex');
}

export function contentHash(entry: ExportEntry | undefined): string | null {
  return entry ? canonicalHash(entry.content) : null;
}

/** One resource to promote. Spec: "Promotion", `units`; `version` picks an earlier one, for a rollback. */
export interface Unit {
  readonly resourceType: string;
  readonly resourcePid: string;
  readonly version?: number;
}
