import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { toFailure } from '../../activities/failure.ts';
import { conflict, unavailable } from '../../src/errors/application-error.ts';
import { commandWorkflowId, EXECUTE_COMMAND } from '../../workflows/contracts.ts';

/**
 * Records the histories that replay.test.ts replays: `node test/replay/record.ts <version>` against TEMPORAL_ADDRESS.
 * Recorded histories are never edited and never recorded again: they stand for the workflows that run in production
 * while new code is deployed. A workflow that changes gets new histories under a new version beside the old ones.
 */

/** What becomes of an attempt to apply the command. */
const SCENARIOS: Record<string, (attempt: number) => Promise<void>> = {
  /** The transaction commits. */
  succeeded: async () => undefined,
  /** A rule of the command is broken: the failure is final. */
  failed: async () => {
    throw toFailure(conflict('STATE'));
  },
  /** Postgres is away for two attempts. */
  retried: async (attempt) => {
    if (attempt < 3) throw toFailure(unavailable('postgres'));
  },
  /** The transaction waits for a lock for longer than a workflow task may take, so the worker asks for more time. */
  'held-up': () => new Promise((resolve) => setTimeout(resolve, 13_000)),
};

const version = process.argv[2];
if (!version || !/^v\d+$/.test(version)) throw new Error('usage: node test/replay/record.ts v<number>');

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233' });
const client = new Client({ connection, identity: 'recorder' });
const folder = new URL('histories/', import.meta.url);
await mkdir(folder, { recursive: true });

for (const [name, apply] of Object.entries(SCENARIOS)) {
  const taskQueue = `record-${name}`;
  let attempt = 0;
  const worker = await Worker.create({
    connection,
    taskQueue,
    identity: 'recorder',
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    activities: { applyCommand: () => apply((attempt += 1)) },
  });
  await worker.runUntil(async () => {
    const executionPid = `recorded-${name}-${Date.now()}`;
    const handle = await client.workflow.start(EXECUTE_COMMAND, {
      ...{ workflowId: commandWorkflowId(executionPid), taskQueue, args: [{ executionPid }] },
    });
    await handle.result().catch(() => undefined);
    const file = new URL(`execute-command.${version}.${name}.json`, folder);
    await writeFile(file, `${JSON.stringify(await handle.fetchHistory(), null, 2)}\n`, { flag: 'wx' });
    console.log(`recorded ${fileURLToPath(file)}`);
  });
}
await connection.close();
