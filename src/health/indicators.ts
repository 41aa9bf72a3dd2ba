import type { Database } from '../database/pool.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { SharedStore } from '../redis/redis.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';

export type Status = 'UP' | 'DOWN';

/** One thing the service depends on, asked whether it is there. */
export interface Indicator {
  readonly name: 'db' | 'redis' | 'metadataCache' | 'temporal';
  /** Without it this node can serve nothing. Spec: readiness needs database, shared store and metadata cache. */
  readonly neededForReadiness: boolean;
  check(): Promise<boolean>;
}

/** A dependency that does not answer in this time counts as away. */
const TIMEOUT_MS = 2_000;

export function indicators(
  database: Database,
  store: SharedStore,
  snapshots: SnapshotCache,
  temporal: TemporalGateway,
  environment: string,
): Indicator[] {
  const answers = (asked: Promise<unknown>): Promise<boolean> =>
    asked.then(
      () => true,
      () => false,
    );
  return [
    { name: 'db', neededForReadiness: true, check: () => answers(database.query('select 1')) },
    { name: 'redis', neededForReadiness: true, check: () => answers(store.together([['ping']])) },
    { name: 'metadataCache', neededForReadiness: true, check: async () => snapshots.isWarm(environment) },
    { name: 'temporal', neededForReadiness: false, check: () => temporal.isReachable() },
  ];
}

export interface Health {
  readonly status: Status;
  readonly components: Readonly<Record<string, { readonly status: Status }>>;
}

/** Asks all indicators at once. */
export async function healthOf(asked: readonly Indicator[]): Promise<Health> {
  const statuses = await Promise.all(asked.map((indicator) => within(indicator.check(), TIMEOUT_MS)));
  const components = Object.fromEntries(
    asked.map(({ name }, index) => [name, { status: statuses[index] ? 'UP' : 'DOWN' } as const]),
  );
  return { status: statuses.every(Boolean) ? 'UP' : 'DOWN', components };
}

/** The names of the indicators that are down. */
export async function downOf(asked: readonly Indicator[]): Promise<string[]> {
  const { components } = await healthOf(asked);
  return Object.entries(components).flatMap(([name, { status }]) => (status === 'DOWN' ? [name] : []));
}

async function within(check: Promise<boolean>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
  });
  return Promise.race([check.catch(() => false), late]).finally(() => clearTimeout(timer));
}
