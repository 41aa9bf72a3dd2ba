import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { TableCatalog } from '../../../../platform/metadata/models/tables/table-catalog.ts';
import { deletionsOf, type Deletion } from '../../../../platform/metadata/resources/resource-versions.ts';
import type { ExportEntry } from '../../../environments/environment-export.ts';
import { ResourceIndex } from './resource-index.ts';
import type { Unit } from './promotion-plan.ts';

/** What a plan is made from. */
export interface PlanInput {
  /** The source's resources by pid: of an environment, or of an export. */
  readonly source: ReadonlyMap<string, ExportEntry>;
  readonly target: readonly ExportEntry[];
  readonly targetCode: string;
  /** The names of the secrets that the target has. */
  readonly targetSecrets: ReadonlySet<string>;
  readonly units: readonly Unit[];
  readonly autoInclude: boolean;
  /** The source is an export: it says what the target shall be, so that a newer target is no conflict. */
  readonly overwrites: boolean;
  /**
   * Of a rollback: what the target has unless it was changed since. Resource pid -> hash of its content, null
   * for none.
   */
  readonly appliedHashes: ReadonlyMap<string, string | null>;
  /** Whose files are the source; undefined for other sources. */
  readonly application?: string;
}

/** What planning looks up again and again: read and sorted once, by a constant number of statements. */
export interface PlanLookup {
  readonly targetByPid: ReadonlyMap<string, ExportEntry>;
  readonly target: ResourceIndex;
  /** What the units bring. */
  readonly arriving: ResourceIndex;
  readonly units: ReadonlySet<string>;
  /** The target's tables of all models that the units bring or take away. */
  readonly catalog: TableCatalog;
  /** What the target had and deleted, by pid. */
  readonly deletions: ReadonlyMap<string, Deletion>;
}

export async function readPlanLookup(em: PlatformEntityManager, input: PlanInput): Promise<PlanLookup> {
  const { units, source, target, targetCode } = input;
  const targetByPid = new Map(target.map((entry) => [entry.pid, entry]));
  const named = units.flatMap(({ resourcePid: pid }) => source.get(pid) ?? targetByPid.get(pid) ?? []);
  const models = named.filter(({ resourceType }) => resourceType === MODEL.name).map(({ code }) => code);
  const absent = named.filter(({ pid }) => !targetByPid.has(pid)).map(({ pid }) => pid);
  return {
    targetByPid,
    target: new ResourceIndex(target),
    arriving: new ResourceIndex(units.flatMap(({ resourcePid }) => source.get(resourcePid) ?? [])),
    units: new Set(units.map(({ resourcePid }) => resourcePid)),
    catalog: await TableCatalog.read(em, targetCode, models),
    deletions: await deletionsOf(em, targetCode, absent),
  };
}
