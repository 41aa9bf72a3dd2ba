import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dropDatabase, onServer } from './database.ts';
import { copyOfDatabase } from './own-program.ts';
import { startProgram } from './program.ts';

/** The variables of the environment by which a test file uses a program of the pool. */
type Lent = Record<string, string>;

/**
 * The programs that test files share, by configuration: each starts when the first file asks for it, and all
 * of them end with the run. Files run in processes of their own, so they ask over HTTP.
 */
export class ProgramPool {
  readonly #lent = new Map<string, Promise<Lent>>();
  readonly #stops: (() => Promise<unknown>)[] = [];
  readonly #server = createServer((request, response) => {
    this.#lend(request.url ?? '').then(
      (lent) => response.end(JSON.stringify(lent)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });

  /** Gives the URL at which test files ask. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.allSettled(this.#lent.values());
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  #lend(path: string): Promise<Lent> {
    const lent = this.#lent.get(path) ?? (path === '/node' ? this.#startNode() : this.#startOwn(path));
    this.#lent.set(path, lent);
    return lent;
  }

  async #startNode(): Promise<Lent> {
    const program = await startProgram({ KEELSON_ROLES: 'api' });
    this.#stops.push(() => program.stop());
    return { KEELSON_TEST_URL: program.url };
  }

  async #startOwn(path: string): Promise<Lent> {
    const { name, ...own } = await copyOfDatabase(`pool${path.replace(/\W/g, '_')}`);
    const program = await startProgram(own);
    this.#stops.push(async () => {
      await program.stop();
      await onServer(own.DATABASE_URL, dropDatabase(name));
    });
    return { ...own, KEELSON_TEST_URL: program.url };
  }
}

async function borrow(path: string): Promise<Lent> {
  const response = await fetch(`${process.env.KEELSON_TEST_POOL}${path}`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Lent;
}

/**
 * The URL of another node than the one that all tests share: what it knows, it knows from the shared stores.
 */
export async function anotherNode(): Promise<string> {
  return (await borrow('/node')).KEELSON_TEST_URL ?? '';
}
