import type { RedisStore } from '../../src/foundation/redis/redis-store.ts';

const counters = new WeakMap<RedisStore, () => number>();

/** Trips to Redis since the first call for this store, without the node's own heartbeats. */
export function redisTrips(store: RedisStore): number {
  const counter = counters.get(store) ?? count(store);
  counters.set(store, counter);
  return counter();
}

function count(store: RedisStore): () => number {
  const send = store.pipeline.bind(store);
  let trips = 0;
  store.pipeline = (commands) => {
    if (!commands.every(([, key]) => String(key).startsWith('keelson:node:'))) trips += 1;
    return send(commands);
  };
  return () => trips;
}
