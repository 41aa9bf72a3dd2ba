import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createLogger } from '../../src/foundation/logging/logger.ts';
import { TemporalGateway } from '../../src/foundation/temporal/temporal-gateway.ts';
import { workflowBundle } from '../../src/foundation/temporal/workflow-bundle.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

/*
 * Records the histories that replay.test.ts replays: `node test/replay/record.ts <workflow> <version>
 * [scenario]` against TEMPORAL_ADDRESS. Histories of a released version are never edited and never recorded
 * again: they stand for the workflows that run in production while new code is deployed. A workflow that
 * changes gets new histories under a new version beside the old ones.
 */
const [workflow = '', version = '', only] = process.argv.slice(2);
const scenarios = SCENARIOS[workflow];
if (!scenarios || !/^v\d+$/.test(version)) {
  throw new Error(`usage: node test/replay/record.ts ${Object.keys(SCENARIOS).join('|')} v<number> [scenario]`);
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233' });
const client = new Client({ connection, identity: 'recorder' });
// It makes sure that the search attributes are there.
const gateway = new TemporalGateway(
  { namespace: 'default', taskQueue: 'record', eager: false },
  createLogger('silent'),
);
await gateway.connect(() => Promise.resolve(connection));

for (const [name, scenario] of Object.entries(scenarios).filter(([one]) => only === undefined || one === only)) {
  const file = new URL(`histories/${workflow}.${version}.${name}.json`, import.meta.url);
  await writeFile(file, `${JSON.stringify(await historyOf(name, scenario))}\n`, { flag: 'wx' });
  console.log(`recorded ${fileURLToPath(file)}`);
}
gateway.close();
await connection.close();

async function historyOf(name: string, { type, input, stubs, play, isContinued, ...scenario }: Scenario) {
  const taskQueue = `record-${name}`;
  const pid = `recorded-${name}-${Date.now()}`;
  const workflowId = scenario.workflowId(pid);
  const worker = await Worker.create({
    connection,
    taskQueue,
    identity: 'recorder',
    workflowBundle: await workflowBundle(),
    activities: stubs,
  });
  return worker.runUntil(async () => {
    const handle = await client.workflow.start(type, { workflowId, taskQueue, args: [input(pid)] });
    await play?.(handle);
    await handle.result().catch(() => undefined);
    const recorded = isContinued ? client.workflow.getHandle(workflowId, handle.firstExecutionRunId) : handle;
    return recorded.fetchHistory();
  });
}
