import { UTC } from '../../../foundation/time/time-zones.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { MODEL } from '../models/model-type.ts';
import { permissionsOfRenames, presentCodes } from '../models/former-codes.ts';
import { declaredFields, type Model } from '../models/model.ts';
import { PERMISSION } from '../permissions/permission-type.ts';
import { permissionsOf, type GrantedPermissions } from '../permissions/permissions.ts';
import type { Configuration, EnvironmentResource, EventOrigins, ResourceType } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/**
 * All configuration of one environment at one version. Immutable: a change of metadata makes a new snapshot.
 */
export class Snapshot implements Configuration {
  readonly environment: string;
  readonly version: number;
  readonly models: ReadonlyMap<string, Model>;
  /** Permission codes that its resources make. */
  readonly permissionCodes: ReadonlySet<string>;
  /** Name of a resource type -> code -> what the type keeps. */
  readonly #kept = new Map<string, Map<string, unknown>>();
  /** Code -> models, of the types that write records. */
  readonly #modelsWritten = new Map<string, ReadonlySet<string>>();
  /** Code -> origins, of the types that have events. */
  readonly #eventOrigins = new Map<string, () => EventOrigins>();
  readonly #derived = new Map<(configuration: Configuration) => unknown, unknown>();
  readonly #permissions = new Map<string, GrantedPermissions>();
  readonly #timeZones: ReadonlyMap<string, string>;

  /** @param timeZones those of tenants, by id; UTC for others */
  constructor(
    environment: string,
    version: number,
    resources: readonly EnvironmentResource[],
    types: ResourceTypes,
    timeZones: ReadonlyMap<string, string> = NOTHING,
  ) {
    this.#timeZones = timeZones;
    this.permissionCodes = new Set(resources.flatMap((resource) => types.permissionCodesOf(resource)));
    this.environment = environment;
    this.version = version;
    for (const resource of resources) {
      const type = types.find(resource.resourceType);
      if (!type) continue;
      const { code, content } = resource;
      const ofType = this.#kept.get(type.name) ?? new Map<string, unknown>();
      this.#kept.set(type.name, ofType.set(code, type.keep(resource, environment)));
      if (type.eventOrigins) this.#eventOrigins.set(code, () => type.eventOrigins?.(content) ?? {});
      if (type.modelsWritten) this.#modelsWritten.set(code, new Set(type.modelsWritten(content)));
    }
    this.models = this.all(MODEL);
  }

  /** @throws NOT_FOUND */
  get<Kept>(type: ResourceType<never, Kept>, code: string): Kept {
    const found = this.find(type, code);
    if (found === undefined) throw notFound(type.notFound);
    return found;
  }

  find<Kept>(type: ResourceType<never, Kept>, code: string): Kept | undefined {
    return this.all(type).get(code);
  }

  /** What is kept of all resources of a type, by code. */
  all<Kept>(type: ResourceType<never, Kept>): ReadonlyMap<string, Kept> {
    // The type itself has made these values.
    return (this.#kept.get(type.name) as ReadonlyMap<string, Kept> | undefined) ?? NOTHING;
  }

  has(resourceType: string, code: string): boolean {
    return this.#kept.get(resourceType)?.has(code) ?? false;
  }

  /** @throws NOT_FOUND */
  model(code: string): Model {
    return this.get(MODEL, code);
  }

  /** Codes of the models whose records the events of a command carry. */
  modelsWrittenBy(code: string): ReadonlySet<string> {
    return this.#modelsWritten.get(code) ?? new Set();
  }

  /** The fields that the events of a command come from; null for a code that is no command's. */
  eventOriginsOf(code: string): EventOrigins | null {
    return this.#eventOrigins.get(code)?.() ?? null;
  }

  /** What a function computes from this snapshot. It is computed once. */
  derive<T>(compute: (configuration: Configuration) => T): T {
    if (!this.#derived.has(compute)) this.#derived.set(compute, compute(this));
    return this.#derived.get(compute) as T;
  }

  /** The IANA name of a tenant's time zone. */
  timeZoneOf(tenantId: string): string {
    return this.#timeZones.get(tenantId) ?? UTC;
  }

  /** The zones of these tenants, or of all, each once. */
  timeZonesOf(tenantIds?: readonly string[]): ReadonlySet<string> {
    if (tenantIds) return new Set(tenantIds.map((id) => this.timeZoneOf(id)));
    return new Set([UTC, ...this.#timeZones.values()]);
  }

  /** What these roles may do in this environment. */
  permissionsOf(roles: readonly string[]): GrantedPermissions {
    const key = roles.join('\n');
    let permissions = this.#permissions.get(key);
    if (!permissions) {
      permissions = permissionsOf(
        roles,
        (role) => this.find(PERMISSION, role)?.codes ?? [],
        this.derive(renamedPermissions),
      );
      this.#permissions.set(key, permissions);
    }
    return permissions;
  }
}

/**
 * Files and accepted work may still name the permissions of fields by the codes that these had: former ->
 * present.
 */
function renamedPermissions(configuration: Configuration): ReadonlyMap<string, string> {
  const ofModels = [...configuration.all(MODEL)].map(([modelCode, model]) =>
    permissionsOfRenames({ modelCode, codes: presentCodes(declaredFields(model)) }),
  );
  return new Map(ofModels.flatMap((codes) => [...codes]));
}
