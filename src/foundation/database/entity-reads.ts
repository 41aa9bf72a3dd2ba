import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { tooLarge } from '../errors/too-large.ts';
import { MAX_HELD_BYTES } from '../foundation.limits.ts';
import { heldMemory, type HeldMemory } from '../memory/held-memory.ts';
import { columnTypeOf } from './result-types.ts';

/** What one bounded read has read so far. */
interface BoundedRead {
  bytes: number;
  problem: Error | null;
}

const bounded = new AsyncLocalStorage<BoundedRead>();

/**
 * Runs reads of the entity manager that together are one answer: no more is read of them than one may hold.
 * @throws CONFLICT (TOO_LARGE)
 */
export async function boundedRead<T>(work: () => Promise<T>): Promise<T> {
  const read: BoundedRead = { bytes: 0, problem: null };
  try {
    return await bounded.run(read, work);
  } catch (error) {
    // The entity manager gives errors of the driver another class.
    throw read.problem ?? error;
  }
}

type Parse = (value: string) => unknown;
type Send = (query: object) => unknown;

/** Counts what a connection of the entity manager reads to the piece of work that reads it. */
export function countReads(client: pg.PoolClient): void {
  const send = client.query.bind(client) as unknown as Send;
  const query = (text: unknown, values?: unknown, ...rest: unknown[]): unknown => {
    const held = heldMemory();
    const read = bounded.getStore();
    if (typeof text !== 'string' || rest.length > 0 || typeof values === 'function' || (!held && !read)) {
      return (send as (...all: unknown[]) => unknown)(text, values, ...rest);
    }
    const count = counter(client, held, read);
    const getTypeParser = (oid: number, format?: 'text'): Parse => {
      const parse = client.getTypeParser(oid, format) as Parse;
      const { weigh } = columnTypeOf(oid);
      return (value) => {
        count(weigh(value));
        return parse(value);
      };
    };
    return send({ text, values, types: { getTypeParser } });
  };
  client.query = query as typeof client.query;
}

/**
 * @returns counts bytes, and reads nothing more until there is memory for them; it throws CONFLICT
 * (TOO_LARGE)
 */
function counter(client: pg.PoolClient, held: HeldMemory | null, read: BoundedRead | undefined) {
  let isPaused = false;
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  return (bytes: number): void => {
    if (read) {
      read.bytes += bytes;
      if (read.bytes > MAX_HELD_BYTES) throw (read.problem ??= tooLarge());
    }
    if (!held || held.takeApart(bytes) || isPaused) return;
    isPaused = true;
    stream.pause();
    const resume = (): void => {
      isPaused = false;
      stream.resume();
    };
    // What is read of the configuration is needed: it goes on where it has waited in vain.
    held.wait().then(resume, (problem: Error) => {
      if (read) read.problem ??= problem;
      resume();
    });
  };
}
