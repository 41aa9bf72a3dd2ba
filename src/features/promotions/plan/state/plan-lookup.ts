import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { TableCatalog } from '../../../../platform/metadata/models/tables/table-catalog.ts';
import { deletionsOf, type Deletion } from '../../../../platform/metadata/resources/resource-versions.ts';
import type { SnapshotEntry } from '../../../environments/environment-snapshot.ts';
import type { PlanInput } from './plan-input.ts';
import { ResourceIndex } from './resource-index.ts';

/** What planning looks up again and again: read and sorted once, by a constant number of statements. */
export class PlanLookup {
  readonly targetByPid: ReadonlyMap<string, SnapshotEntry>;
  readonly target: ResourceIndex;
  /** What the units bring. */
  readonly arriving: ResourceIndex;
  readonly units: ReadonlySet<string>;
  /** The target's tables of all models that the units bring or take away. */
  readonly catalog: TableCatalog;
  /** What the target had and deleted, by pid. */
  readonly deletions: ReadonlyMap<string, Deletion>;

  private constructor(
    { units, source, target }: PlanInput,
    catalog: TableCatalog,
    deletions: ReadonlyMap<string, Deletion>,
  ) {
    this.targetByPid = new Map(target.map((entry) => [entry.pid, entry]));
    this.target = new ResourceIndex(target);
    this.arriving = new ResourceIndex(units.flatMap(({ resourcePid }) => source.get(resourcePid) ?? []));
    this.units = new Set(units.map(({ resourcePid }) => resourcePid));
    this.catalog = catalog;
    this.deletions = deletions;
  }

  static async read(em: PlatformEntityManager, input: PlanInput): Promise<PlanLookup> {
    const { units, source, target, targetCode } = input;
    const present = new Map(target.map((entry) => [entry.pid, entry]));
    const named = units.flatMap(({ resourcePid: pid }) => source.get(pid) ?? present.get(pid) ?? []);
    const models = named.filter(({ resourceType }) => resourceType === MODEL.name).map(({ code }) => code);
    const absent = named.filter(({ pid }) => !present.has(pid)).map(({ pid }) => pid);
    const catalog = await TableCatalog.read(em, targetCode, models);
    return new PlanLookup(input, catalog, await deletionsOf(em, targetCode, absent));
  }
}
