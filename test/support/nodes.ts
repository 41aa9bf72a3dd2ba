import { listen, type HttpServer } from '../../src/http/server.ts';
import { startProgram, type Program } from './program.ts';
import { container } from './world.ts';

let second: Promise<Program> | null = null;
let inside: Promise<HttpServer> | null = null;

/** The URL of another node than the one that all tests share: what it knows, it knows from the shared stores. */
export async function anotherNode(): Promise<string> {
  second ??= startProgram({ KEELSON_ROLES: 'api' });
  return (await second).url;
}

/** The URL of a node in the test's own process, for looking at its counters. */
export async function nodeInside(): Promise<string> {
  const { app } = await container();
  inside ??= listen(app, 0);
  return `http://127.0.0.1:${(await inside).port}`;
}

afterAll(async () => {
  await (await second)?.stop();
  await (await inside)?.stop(1_000);
  second = null;
  inside = null;
});
