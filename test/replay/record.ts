import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { toFailure } from '../../activities/failure.ts';
import { ApplicationError, conflict, unavailable } from '../../src/errors/application-error.ts';
import {
  commandWorkflowId,
  DELIVER_WEBHOOK,
  DELIVERY_CHANGED,
  deliveryWorkflowId,
  EXECUTE_COMMAND,
  PROMOTION,
  PROMOTION_APPROVED,
  PROMOTION_REQUEST,
  promotionWorkflowId,
  PURGE,
  PURGE_WEBHOOK_LOG,
  RECOVER_DELIVERIES,
  recoveryWorkflowId,
  RESET_MAIL,
  resetMailWorkflowId,
  type Activities,
  type DeliveryState,
  type PromotionRequestInput,
  type PromotionState,
} from '../../workflows/contracts.ts';

/**
 * Records the histories that replay.test.ts replays: `node test/replay/record.ts <workflow> <version> [scenario]` against
 * TEMPORAL_ADDRESS. Recorded histories are never edited and never recorded again: they stand for the workflows that run in
 * production while new code is deployed. A workflow that changes gets new histories under a new version beside the old ones.
 */

interface Scenario {
  readonly workflow: string;
  readonly workflowId: (pid: string) => string;
  readonly input: (pid: string) => unknown;
  readonly activities: () => Record<string, (...args: never[]) => unknown>;
  /** What happens to the workflow from outside. */
  readonly play?: (handle: WorkflowHandle) => Promise<unknown>;
}

/** What becomes of an attempt to apply the command. */
const command = (apply: (attempt: number) => Promise<void>): Scenario => ({
  workflow: EXECUTE_COMMAND,
  workflowId: commandWorkflowId,
  input: (executionPid) => ({ executionPid }),
  activities: () => {
    let attempt = 0;
    return { applyCommand: () => apply((attempt += 1)) };
  },
});

const COMMANDS: Record<string, Scenario> = {
  /** The transaction commits. */
  succeeded: command(async () => undefined),
  /** A rule of the command is broken: the failure is final. */
  failed: command(async () => {
    throw toFailure(conflict('STATE'));
  }),
  /** Postgres is away for two attempts. */
  retried: command(async (attempt) => {
    if (attempt < 3) throw toFailure(unavailable('postgres'));
  }),
  /** The transaction waits for a lock for longer than a workflow task may take, so the worker asks for more time. */
  'held-up': command(() => new Promise((resolve) => setTimeout(resolve, 13_000))),
};

const DRAFT = { status: 'DRAFT', applyAt: null, applyRequestPid: null };
const VALIDATED = { ...DRAFT, status: 'VALIDATED' };
const APPLIED = { ...DRAFT, status: 'APPLIED' };

/** @param outcomes what becomes of each request, by its pid; an error is thrown */
const promoted = (
  outcomes: Record<string, PromotionState | Error>,
  play: Scenario['play'],
  { expiresMs = 3_600_000, ...more }: { expiresMs?: number } & Partial<Activities> = {},
): Scenario => ({
  workflow: PROMOTION,
  workflowId: promotionWorkflowId,
  input: (promotionPid) => ({ promotionPid, expiresMs }),
  activities: () => ({
    handlePromotionRequest: ({ requestPid, due }: PromotionRequestInput) => {
      const outcome = outcomes[due ? `${requestPid} due` : requestPid];
      if (outcome instanceof Error) throw toFailure(outcome);
      return outcome;
    },
    readPromotion: () => VALIDATED,
    expirePromotion: () => ({ ...DRAFT, status: 'EXPIRED' }),
    ...more,
  }),
  ...(play && { play }),
});

const ask = (handle: WorkflowHandle, requestPid: string): Promise<unknown> =>
  handle.executeUpdate<unknown, [unknown]>(PROMOTION_REQUEST, { updateId: requestPid, args: [{ requestPid }] });

const PROMOTIONS: Record<string, Scenario> = {
  /** Validated, refused to the creator, approved, applied. */
  applied: promoted(
    { validate: VALIDATED, alone: new ApplicationError('FOUR_EYES_REQUIRED'), apply: APPLIED },
    async (handle) => {
      await ask(handle, 'validate');
      await ask(handle, 'alone').catch(() => undefined);
      await handle.signal<[unknown]>(PROMOTION_APPROVED, { approvalPid: 'approve' });
      await ask(handle, 'apply');
    },
  ),
  /** Validated, scheduled, applied when it was due. */
  scheduled: promoted(
    {
      validate: VALIDATED,
      apply: { ...VALIDATED, applyAt: Date.now() + 3_000, applyRequestPid: 'apply' },
      'apply due': APPLIED,
    },
    async (handle) => {
      await ask(handle, 'validate');
      await ask(handle, 'apply');
    },
  ),
  /** Nobody applied it in time. */
  expired: promoted({ validate: VALIDATED }, (handle) => ask(handle, 'validate'), { expiresMs: 1_000 }),
};

/** Applied with a soak: it looks until the time is over, or until it has seen enough. */
const watched = (looks: PromotionState[]): Scenario =>
  promoted(
    { validate: VALIDATED, apply: { ...APPLIED, soak: { until: Date.now() + 60_000, everyMs: 500 } } },
    async (handle) => {
      await ask(handle, 'validate');
      await ask(handle, 'apply');
    },
    { watchPromotion: async () => looks.shift() ?? APPLIED },
  );

const WATCHING = { ...APPLIED, soak: { until: Date.now() + 60_000, everyMs: 500 } };
const rollback = (promotionPid: string) => ({
  ...{ promotionPid, requestPids: ['validate', 'apply'], targetEnv: 'prod', expiresMs: 3_600_000 },
});

const SOAKS: Record<string, Scenario> = {
  'soak-passed': watched([WATCHING, APPLIED]),
  'soak-rolled-back': watched([WATCHING, { ...APPLIED, rollback: rollback(`recorded-inverse-${Date.now()}`) }]),
  /** The inverse: it carries out what is asked of it by itself. */
  inverse: {
    ...promoted({ validate: VALIDATED, apply: APPLIED }, undefined),
    input: (promotionPid) => ({ promotionPid, expiresMs: 3_600_000, requestPids: ['validate', 'apply'] }),
  },
};

/** @param states what comes of one attempt to deliver after the other */
const delivered = (states: readonly (() => Promise<DeliveryState>)[], play?: Scenario['play']): Scenario => ({
  workflow: DELIVER_WEBHOOK,
  workflowId: deliveryWorkflowId,
  input: (deliveryPid) => ({ deliveryPid }),
  activities: () => {
    let attempt = 0;
    return { attemptDelivery: async () => states[(attempt += 1) - 1]?.() };
  },
  ...(play && { play }),
});
const ends = (status: string) => async (): Promise<DeliveryState> => ({ status, ended: true, waitMs: 1 });
const waits = (waitMs: number) => async (): Promise<DeliveryState> => ({ status: 'RETRYING', ended: false, waitMs });
const away = async (): Promise<DeliveryState> => {
  throw toFailure(unavailable('postgres'));
};
const signalled = Promise.withResolvers<void>();

/** @param quickly what comes of one quick attempt after the other; null asks for an ordinary one, which succeeds */
const deliveredQuickly = (
  quickly: readonly (() => Promise<DeliveryState | null>)[],
  play?: Scenario['play'],
): Scenario => ({
  ...delivered([ends('SUCCEEDED')], play),
  input: (deliveryPid) => ({ deliveryPid, subscriptionPid: 'recorded-subscription' }),
  activities: () => {
    let attempt = 0;
    return { attemptQuickly: async () => quickly[(attempt += 1) - 1]?.(), attemptDelivery: ends('SUCCEEDED') };
  },
});

const DELIVERIES: Record<string, Scenario> = {
  succeeded: delivered([ends('SUCCEEDED')]),
  /** The endpoint fails twice; Postgres is away in between. */
  retried: delivered([waits(500), away, waits(500), ends('SUCCEEDED')]),
  /** Somebody gives it up while it waits for a retry. */
  cancelled: delivered([waits(600_000), ends('CANCELLED')], async (handle) => {
    await waitsForTimer(handle);
    await handle.signal<[unknown]>(DELIVERY_CHANGED, null);
  }),
  /** Somebody resends it while its last attempt is out. */
  resent: delivered([() => signalled.promise.then(ends('FAILED')), ends('SUCCEEDED')], async (handle) => {
    await handle.signal<[unknown]>(DELIVERY_CHANGED, null);
    signalled.resolve();
  }),
};

const QUICK_DELIVERIES: Record<string, Scenario> = {
  /** Within the workflow's first task. */
  'quickly-succeeded': deliveredQuickly([ends('SUCCEEDED')]),
  /** The endpoint is not known to be quick. */
  'not-quick': deliveredQuickly([async () => null]),
  /** Postgres is away at the quick attempt. */
  'quickly-failed': deliveredQuickly([away]),
  /** The endpoint takes long this time; the end of the attempt is signalled. */
  'quickly-late': deliveredQuickly([waits(600_000), async () => null], async (handle) => {
    await waitsForTimer(handle);
    await handle.signal<[unknown]>(DELIVERY_CHANGED, null);
  }),
};

const RECOVERIES: Record<string, Scenario> = {
  /** Two batches, then none. */
  done: {
    workflow: RECOVER_DELIVERIES,
    workflowId: recoveryWorkflowId,
    input: (recoveryPid) => ({ recoveryPid }),
    activities: () => {
      let batch = 0;
      return { recoverBatch: async () => (batch += 1) < 3 };
    },
  },
};

/** What becomes of each attempt to send the e-mail. */
const mailed = (send: (attempt: number) => Promise<void>): Scenario => ({
  workflow: RESET_MAIL,
  workflowId: resetMailWorkflowId,
  input: (userPid) => ({ userPid }),
  activities: () => {
    let attempt = 0;
    return { sendResetMail: () => send((attempt += 1)) };
  },
});

const RESET_MAILS: Record<string, Scenario> = {
  sent: mailed(async () => undefined),
  /** The mail server refuses once more. */
  retried: mailed(async (attempt) => {
    if (attempt < 2) throw toFailure(unavailable('mail'));
  }),
};

const purged = (workflow: string): Scenario => ({
  workflow,
  workflowId: (pid) => pid,
  input: () => undefined,
  activities: () => {
    let batch = 0;
    return { purgeBatch: async () => (batch += 1) < 3 };
  },
});

const WORKFLOWS: Record<string, Record<string, Scenario>> = {
  'execute-command': COMMANDS,
  promotion: { ...PROMOTIONS, ...SOAKS },
  'deliver-webhook': { ...DELIVERIES, ...QUICK_DELIVERIES },
  'recover-deliveries': RECOVERIES,
  'reset-mail': RESET_MAILS,
  /** Two batches, then none. */
  purge: { done: purged(PURGE) },
  'purge-webhook-log': { done: purged(PURGE_WEBHOOK_LOG) },
};

/** Resolves when the workflow has begun to wait. */
async function waitsForTimer(workflow: WorkflowHandle): Promise<void> {
  for (;;) {
    const { events } = await workflow.fetchHistory();
    if (events?.some(({ timerStartedEventAttributes: timer }) => timer)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const [workflow = '', version = '', only] = process.argv.slice(2);
const scenarios = WORKFLOWS[workflow];
if (!scenarios || !/^v\d+$/.test(version)) {
  throw new Error(`usage: node test/replay/record.ts ${Object.keys(WORKFLOWS).join('|')} v<number> [scenario]`);
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233' });
const client = new Client({ connection, identity: 'recorder' });
const folder = new URL('histories/', import.meta.url);
await mkdir(folder, { recursive: true });

for (const [name, scenario] of Object.entries(scenarios).filter(([one]) => only === undefined || one === only)) {
  const taskQueue = `record-${name}`;
  const worker = await Worker.create({
    connection,
    taskQueue,
    identity: 'recorder',
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    activities: scenario.activities(),
  });
  await worker.runUntil(async () => {
    const pid = `recorded-${name}-${Date.now()}`;
    const handle = await client.workflow.start(scenario.workflow, {
      ...{ workflowId: scenario.workflowId(pid), taskQueue, args: [scenario.input(pid)] },
    });
    await scenario.play?.(handle);
    await handle.result().catch(() => undefined);
    const file = new URL(`${workflow}.${version}.${name}.json`, folder);
    await writeFile(file, `${JSON.stringify(await handle.fetchHistory(), null, 2)}\n`, { flag: 'wx' });
    console.log(`recorded ${fileURLToPath(file)}`);
  });
}
await connection.close();
