import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import type { RedisCommand, RedisStore } from '../../../foundation/redis/redis-store.ts';
import { LockMode } from '@mikro-orm/core';
import { EnvironmentEntity } from '../environments/environment.entity.ts';
import { storedResources } from '../resources/stored-resources.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';
import { Snapshot } from './snapshot.ts';

const versionKey = (environment: string): string => `keelson:metadata-version:${environment}`;

/** Reads the time zones of tenants, by id. */
type ReadTimeZones = (em: PlatformEntityManager) => Promise<ReadonlyMap<string, string>>;

/** Raises a version and never lowers it: announcements of two nodes may overtake each other. */
const RAISE = `local now = tonumber(redis.call('get', KEYS[1]) or '-1')
if tonumber(ARGV[1]) > now then redis.call('set', KEYS[1], ARGV[1]) end
return 1`;

/** Takes a version back, unless another one has been announced since. */
const RETRACT = `if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
return 1`;

/**
 * The node's snapshots, one per environment. A request learns the current version in the Redis round trip
 * that also checks its session; when this node's snapshot is older, the request waits for the reload. So no
 * node serves an old version once a change has been announced.
 */
export class SnapshotCache {
  readonly #orm: PlatformOrm;
  readonly #store: RedisStore;
  readonly #types: ResourceTypes;
  readonly #readTimeZones: ReadTimeZones;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #loading = new Map<string, Promise<Snapshot>>();

  constructor(orm: PlatformOrm, store: RedisStore, types: ResourceTypes, readTimeZones: ReadTimeZones) {
    this.#readTimeZones = readTimeZones;
    this.#types = types;
    this.#orm = orm;
    this.#store = store;
  }

  /** Loads the snapshots of all environments and announces their versions. Readiness waits for it. */
  async warm(): Promise<void> {
    const environments = await this.#orm.em.fork().findAll(EnvironmentEntity);
    for (const { code } of environments) await this.#announce(await this.#load(code));
  }

  isWarm(environment: string): boolean {
    return this.#snapshots.has(environment);
  }

  /** The command that reads an environment's current version, for the request's one Redis round trip. */
  versionCommand(environment: string): RedisCommand {
    return ['get', versionKey(environment)];
  }

  /** The snapshot in this node's memory, possibly stale: for guesses that a later check confirms. */
  peek(environment: string): Snapshot | undefined {
    return this.#snapshots.get(environment);
  }

  /**
   * The snapshot at least as new as an announced version.
   * @param announced the reply to `versionCommand`; null when Redis has lost it
   */
  async at(environment: string, announced: string | null): Promise<Snapshot> {
    const known = this.#snapshots.get(environment);
    if (known && announced !== null && known.version >= Number(announced)) return known;
    let loaded = await this.#load(environment);
    if (announced === null) await this.#announce(loaded);
    else if (loaded.version < Number(announced)) {
      // The load was under way already, and had read the state before the announced change.
      loaded = await this.#load(environment);
      if (loaded.version < Number(announced)) return this.#correct(environment, announced);
    }
    return loaded;
  }

  /** The newest snapshot by the database: for work that has no request, such as a command's transaction. */
  async current(environment: string): Promise<Snapshot> {
    const [reply] = await this.#store.pipeline([this.versionCommand(environment)]);
    return this.at(environment, reply as string | null);
  }

  /** Makes a committed change visible: after this, every request on every node sees it. */
  async refresh(environment: string): Promise<Snapshot> {
    // A load that is under way may have read the state before the change.
    await this.#loading.get(environment)?.catch(() => undefined);
    const snapshot = await this.#load(environment);
    await this.#announce(snapshot);
    return snapshot;
  }

  /**
   * Redis names a version that the database does not have (it was restored): left so, every request would
   * reload.
   */
  async #correct(environment: string, announced: string): Promise<Snapshot> {
    await this.#store.pipeline([['eval', RETRACT, 1, versionKey(environment), announced]]);
    // An earlier commit may have announced its version in vain: only the database knows.
    return this.refresh(environment);
  }

  async #announce({ environment, version }: Snapshot): Promise<void> {
    await this.#store.pipeline([['eval', RAISE, 1, versionKey(environment), version]]);
  }

  /**
   * Makes a change visible that every snapshot holds and that is no resource: in its transaction, the
   * versions of all environments rise. @returns what announces it, once it is committed
   */
  async renewAll(em: PlatformEntityManager): Promise<() => Promise<void>> {
    const environments = await em.find(
      EnvironmentEntity,
      {},
      { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
    );
    for (const environment of environments) environment.metadataVersion += 1;
    await em.flush();
    return async () => {
      for (const { code } of environments) await this.refresh(code);
    };
  }

  /** One load at a time per environment: requests that arrive meanwhile share it. */
  #load(environment: string): Promise<Snapshot> {
    let loading = this.#loading.get(environment);
    if (!loading) {
      loading = this.#read(environment).finally(() => this.#loading.delete(environment));
      this.#loading.set(environment, loading);
    }
    return loading;
  }

  async #read(environment: string): Promise<Snapshot> {
    const snapshot = await this.#orm.em.fork().transactional(
      async (em) => {
        const row = await em.findOne(EnvironmentEntity, { code: environment });
        if (!row) throw notFound('There is no such environment');
        const resources = await storedResources(em, [environment]);
        return new Snapshot(environment, row.metadataVersion, resources, this.#types, await this.#readTimeZones(em));
      },
      { isolationLevel: 'repeatable read' as never, readOnly: true },
    );
    const known = this.#snapshots.get(environment);
    if (known && known.version > snapshot.version) return known;
    this.#snapshots.set(environment, snapshot);
    return snapshot;
  }
}
