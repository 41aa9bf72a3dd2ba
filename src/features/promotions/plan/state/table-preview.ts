import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { computedBuild } from '../../../../platform/metadata/models/tables/computed-columns.ts';
import { TableCatalog } from '../../../../platform/metadata/models/tables/table-catalog.ts';
import { planTableChange } from '../../../../platform/metadata/models/tables/table-change.ts';
import { stepsOf, tableSize, type LockMode } from '../../../../platform/metadata/models/tables/table-steps.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ExportEntry } from '../../../environments/environment-export.ts';

/** A statement, and whether it is carried out by the apply or afterwards. */
interface Step {
  readonly statement: string;
  readonly isLater: boolean;
}

export interface TablePreview {
  readonly steps: readonly Step[];
  /** What the table is locked in while the apply carries them out; null: no lock that others notice. */
  readonly lock: LockMode | null;
  /** Records of all tenants in it; null for a new table, and for an applied promotion. */
  readonly rows: number | null;
  readonly isEstimate: boolean;
}

/** How the target's table would follow a model; null where nothing of a table changes. */
export async function previewOf(
  em: PlatformEntityManager,
  environment: string,
  source: ExportEntry | undefined,
  target: ExportEntry | undefined,
): Promise<TablePreview | null> {
  if (!isOfType(source, MODEL)) return null;
  const { code, content } = source;
  const before = isOfType(target, MODEL) ? target.content : undefined;
  const catalog = await TableCatalog.read(em, environment, [code]);
  const existing = catalog.tableFor(environment, code, content, before);
  const plan = await planTableChange(em, environment, code, content, before, catalog);
  const { now, later, filled, lockMode } = await stepsOf(em, environment, { code, content, before }, plan, existing);
  if (now.length + later.length + filled.length === 0) return null;
  const size = existing ? await tableSize(em, environment, code) : { rows: null, isEstimate: false };
  const steps = [
    ...now.map((statement) => ({ statement, isLater: false })),
    ...filled.map((field) => ({ statement: computedBuild(environment, code, field).statement, isLater: false })),
    ...later.map(({ statement }) => ({ statement, isLater: true })),
  ];
  return { steps, lock: lockMode, ...size };
}
