import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { toFailure } from '../../activities/failure.ts';
import { unavailable } from '../../src/errors/application-error.ts';
import { createLogger } from '../../src/logging/logger.ts';
import { TemporalGateway } from '../../src/temporal/temporal-gateway.ts';
import {
  FIRE_AUTOMATION,
  RUN_AUTOMATION,
  RUN_CHANGED,
  runWorkflowId,
  type RunState,
  type StepCall,
} from '../../workflows/contracts.ts';

/** As record.ts, for runs of automations: `node test/replay/record-automations.ts <version>` against TEMPORAL_ADDRESS. */

const call = (key: string, attempt = 1): StepCall => ({ key, attempt, timeoutMs: 5_000 });
const working = (...steps: StepCall[]): RunState => ({ status: 'RUNNING', ended: false, steps, waitMs: 60_000 });
const waiting = (waitMs: number): RunState => ({ status: 'WAITING', ended: false, steps: [], waitMs });
const over = (status: string): RunState => ({ status, ended: true, steps: [], waitMs: 60_000 });

interface Scenario {
  /** What the rows say, look by look; the last one goes on. */
  readonly states: RunState[];
  /** What becomes of an attempt to make a step. */
  readonly step?: (attempt: number) => Promise<void>;
  /** After which look somebody changes the rows. */
  readonly signalAfter?: number;
  /** The run goes on in a new history, and only the first one is kept. */
  readonly isLong?: boolean;
}

const SCENARIOS: Record<string, Scenario> = {
  /** Two steps, a timer between them. */
  succeeded: { states: [working(call('a')), waiting(1_000), working(call('b')), over('SUCCEEDED')] },
  /** Steps side by side, the way a for-each has them. */
  parallel: { states: [working(call('a[0]'), call('a[1]'), call('a[2]')), over('SUCCEEDED')] },
  /** It waits for a person, who decides. */
  decided: { states: [waiting(60_000), working(call('a')), over('SUCCEEDED')], signalAfter: 1 },
  /** Cancelled while it waits: a compensation follows. */
  cancelled: { states: [waiting(60_000), working(call('undo:a')), over('CANCELLED')], signalAfter: 1 },
  /** Postgres is away for two attempts of a step's activity. */
  retried: {
    states: [working(call('a')), over('SUCCEEDED')],
    step: async (attempt) => {
      if (attempt < 3) throw toFailure(unavailable('postgres'));
    },
  },
  /** So many steps that it goes on in a new history. */
  continued: {
    states: [...Array.from({ length: 150 }, (_, n) => working(call(`a[${n}]`))), over('SUCCEEDED')],
    isLong: true,
  },
};

const version = process.argv[2];
if (!version || !/^v\d+$/.test(version)) throw new Error('usage: node test/replay/record-automations.ts v<number>');

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233' });
// Makes sure that the search attributes are there.
const gateway = new TemporalGateway(
  { namespace: 'default', taskQueue: 'record', eager: false },
  createLogger('silent'),
);
await gateway.connect(() => Promise.resolve(connection));
const client = new Client({ connection, identity: 'recorder' });
const folder = new URL('histories/', import.meta.url);
const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

async function keep(name: string, history: object): Promise<void> {
  const file = new URL(name, folder);
  await writeFile(file, `${JSON.stringify(history, null, 2)}\n`, { flag: 'wx' });
  console.log(`recorded ${fileURLToPath(file)}`);
}

for (const [name, { states, step, signalAfter, isLong }] of Object.entries(SCENARIOS)) {
  const taskQueue = `record-${name}`;
  let looks = 0;
  let attempts = 0;
  const done = new Set<string>();
  const worker = await Worker.create({
    ...{ connection, taskQueue, identity: 'recorder', workflowsPath },
    activities: {
      advanceRun: async (): Promise<RunState> => {
        const state = states[Math.min(looks, states.length - 1)] as RunState;
        const isDone = state.steps.every(({ key }) => done.has(key));
        // As long as a step is under way the rows say the same.
        if (!isDone) return state;
        looks += 1;
        const next = states[Math.min(looks, states.length - 1)] as RunState;
        return state.steps.length === 0 && !state.ended ? state : next;
      },
      runStep: async ({ key }: StepCall) => {
        await step?.((attempts += 1));
        done.add(key);
      },
    },
  });
  await worker.runUntil(async () => {
    const workflowId = runWorkflowId(`recorded-${name}-${Date.now()}`);
    const handle = await client.workflow.start(RUN_AUTOMATION, {
      ...{ workflowId, taskQueue, args: [{ runPid: `recorded-${name}` }] },
    });
    while (signalAfter !== undefined && looks < signalAfter) await new Promise((resolve) => setTimeout(resolve, 20));
    if (signalAfter !== undefined) await handle.signal(RUN_CHANGED);
    await handle.result();
    const first = isLong ? client.workflow.getHandle(workflowId, handle.firstExecutionRunId) : handle;
    await keep(`run-automation.${version}.${name}.json`, await first.fetchHistory());
  });
}

const taskQueue = 'record-fire';
const worker = await Worker.create({
  ...{ connection, taskQueue, identity: 'recorder', workflowsPath },
  activities: { fireAutomation: async () => undefined },
});
await worker.runUntil(async () => {
  const handle = await client.workflow.start(FIRE_AUTOMATION, {
    ...{ workflowId: `recorded-fire-${Date.now()}`, taskQueue, args: [{ environment: 'dev', automationCode: 'a' }] },
  });
  await handle.result();
  await keep(`fire-automation.${version}.succeeded.json`, await handle.fetchHistory());
});
gateway.close();
await connection.close();
