import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { listen, type HttpServer } from '../../src/foundation/http/server.ts';
import { startNodeHere, type OwnNode } from './own-node.ts';
import { container } from './world.ts';

let inside: Promise<HttpServer> | null = null;
let another: Promise<OwnNode> | null = null;

/** The URL of a node in the test's own process, for looking at its counters. */
export async function nodeInside(): Promise<string> {
  const { app } = await container();
  inside ??= listen(app, 0);
  return `http://127.0.0.1:${(await inside).port}`;
}

/** The URL of a node that shares nothing with the one of all tests but the stores. */
export async function anotherNode(): Promise<string> {
  another ??= startNodeHere({ KEELSON_ROLES: 'api' });
  return (await another).url;
}

afterEachFile(async () => {
  await (await inside)?.stop(1_000);
  inside = null;
  another = null;
});
