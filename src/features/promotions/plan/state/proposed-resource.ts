import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import type { ModelContent } from '../../../../platform/metadata/models/model-content.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ResourceTypes } from '../../../../platform/metadata/resources/resource-types.ts';
import type { ResourceDifference } from '../../../environments/environment-diff.ts';
import type { ExportEntry } from '../../../environments/environment-export.ts';
import type { Deletion } from '../../../../platform/metadata/resources/resource-versions.ts';
import type { PlanLookup, PlanInput } from './plan-lookup.ts';
import { TargetTable } from './target-table.ts';
import type { Unit } from './promotion-plan.ts';

/** A resource that a promotion would change, with what its conflicts depend on. */
export class ProposedResource {
  readonly em: PlatformEntityManager;
  readonly types: ResourceTypes;
  readonly input: PlanInput;
  readonly difference: ResourceDifference;
  readonly source: ExportEntry | undefined;
  readonly target: ExportEntry | undefined;
  readonly #unit: Unit;
  readonly #lookup: PlanLookup;
  #table: TargetTable | null | undefined;

  constructor(
    em: PlatformEntityManager,
    types: ResourceTypes,
    input: PlanInput,
    unit: Unit,
    difference: ResourceDifference,
    lookup: PlanLookup,
  ) {
    this.em = em;
    this.types = types;
    this.input = input;
    this.difference = difference;
    this.source = input.source.get(unit.resourcePid);
    this.target = lookup.targetByPid.get(unit.resourcePid);
    this.#unit = unit;
    this.#lookup = lookup;
  }

  /** Whether just this state of the resource is wanted: a version is named, or an export is imported. */
  get isDeliberate(): boolean {
    return this.#unit.version !== undefined || this.input.overwrites;
  }

  /** What has to leave the target for a new resource to come: another one of the same type and code. */
  get replaced(): ExportEntry | undefined {
    const namesake = this.target ? undefined : this.#namesake;
    return namesake && !this.#isRemoved(namesake) ? namesake : undefined;
  }

  /** The target's table of a model; null where there is none, and where another resource takes it over. */
  get table(): TargetTable | null {
    this.#table = this.#table === undefined ? this.#openTable() : this.#table;
    return this.#table;
  }

  /** When and by whom the target deleted it. */
  get deletion(): Deletion | undefined {
    return this.#lookup.deletions.get(this.difference.pid);
  }

  /** What the target has under this type and code. */
  get before(): ExportEntry | undefined {
    return this.target ?? this.#namesake;
  }

  /** What the target has as the model. */
  get modelBefore(): ModelContent | undefined {
    const { before } = this;
    return isOfType(before, MODEL) ? before.content : undefined;
  }

  /** What the target has under another code. */
  inTarget(resourceType: string, code: string): ExportEntry | undefined {
    return this.#lookup.target.find({ resourceType, code });
  }

  get #namesake(): ExportEntry | undefined {
    const { source } = this;
    return source && this.#lookup.target.find(source);
  }

  #isRemoved({ pid }: ExportEntry): boolean {
    return !this.input.source.has(pid) && this.#lookup.units.has(pid);
  }

  #openTable(): TargetTable | null {
    const named = this.source ?? this.target;
    if (!isOfType(named, MODEL) || this.isSucceeded) return null;
    const { catalog } = this.#lookup;
    const { targetCode } = this.input;
    const existing = isOfType(this.source, MODEL)
      ? catalog.tableFor(targetCode, named.code, this.source.content, this.modelBefore)
      : catalog.table(named.code);
    return TargetTable.open(this.em, targetCode, named.code, catalog, existing);
  }

  /**
   * Whether it leaves for another one of its type and code, as with an export of another installation. What
   * belongs to the code stays: the records of a model, the holders of a role.
   */
  get isSucceeded(): boolean {
    const { target } = this;
    if (this.source || !target) return false;
    return this.#lookup.arriving.find(target) !== undefined;
  }
}
