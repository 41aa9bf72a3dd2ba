import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationError } from '../../src/foundation/errors/application-error.ts';
import {
  BUILD_TABLES,
  buildTablesWorkflowId,
  CHAT,
  CHAT_CHANGED,
  chatWorkflowId,
  commandGroupWorkflowId,
  commandWorkflowId,
  DELIVER_WEBHOOK,
  DELIVERY_CHANGED,
  deliveryWorkflowId,
  EXECUTE_BATCH,
  EXECUTE_COMMAND,
  EXECUTE_COMMANDS,
  FIRE_AUTOMATION,
  IMPORT_RECORDS,
  importWorkflowId,
  PROMOTION,
  PROMOTION_APPROVED,
  PROMOTION_REQUEST,
  promotionWorkflowId,
  PURGE,
  RECOVER_DELIVERIES,
  recoveryWorkflowId,
  RESET_MAIL,
  resetMailWorkflowId,
  RUN_AUTOMATION,
  RUN_CHANGED,
  runWorkflowId,
  type ChatState,
  type DeliveryState,
  type PromotionState,
  type RunState,
  type StepCall,
} from '../../workflows/contracts.ts';
import { FINAL, held, outcomes, requests, TRANSIENT, type Stubs } from '../support/stubs.ts';

/** One workflow to be recorded. */
export interface Scenario {
  readonly type: string;
  readonly workflowId: (pid: string) => string;
  readonly input: (pid: string) => unknown;
  readonly stubs: Stubs;
  /** What happens to the workflow from outside. */
  readonly play?: (handle: WorkflowHandle) => Promise<unknown>;
  /** It goes on in a second history, and the first one is kept. */
  readonly isContinued?: boolean;
}

/** Resolves when the workflow waits. */
async function waitsForTimer(handle: WorkflowHandle): Promise<void> {
  for (;;) {
    const { events } = await handle.fetchHistory();
    if (events?.some(({ timerStartedEventAttributes: timer }) => timer)) return;
    await sleep(100);
  }
}

const signalled = (signal: string) => async (handle: WorkflowHandle) => {
  await waitsForTimer(handle);
  await handle.signal(signal);
};

const command = (applyCommand: Stubs['applyCommand']): Scenario => ({
  type: EXECUTE_COMMAND,
  workflowId: commandWorkflowId,
  input: (executionPid) => ({ executionPid }),
  stubs: { applyCommand },
});

const COMMANDS: Record<string, Scenario> = {
  succeeded: command(outcomes<void>(undefined)),
  failed: command(outcomes<void>(FINAL)),
  retried: command(outcomes<void>(TRANSIENT, TRANSIENT, undefined)),
  /** It waits for longer than a workflow task may take, so the worker asks for more time. */
  'held-up': command(() => sleep(13_000)),
};

const group = (stubs: Stubs): Scenario => ({
  type: EXECUTE_COMMANDS,
  workflowId: commandGroupWorkflowId,
  input: (groupPid) => ({ groupPid, executionPids: ['one', 'two', 'three'] }),
  stubs,
});

const GROUPS: Record<string, Scenario> = {
  succeeded: group({ applyCommands: outcomes({ again: [] }) }),
  /** Postgres is away for a moment. */
  retried: group({ applyCommands: outcomes<{ again: string[] }>(TRANSIENT, { again: [] }) }),
  'put-off': group({
    applyCommands: outcomes({ again: ['one', 'two', 'three'] }),
    applyCommand: outcomes<void>(TRANSIENT, undefined),
  }),
  /** One of them takes longer than a group waits. */
  'started-alone': group({
    applyCommands: outcomes({ again: ['one', 'two'] }),
    applyCommand: outcomes<void>(undefined, TRANSIENT),
    startCommand: outcomes<void>(undefined),
  }),
  'held-up': group({ applyCommands: () => sleep(13_000, { again: [] }) }),
};

const batch = (applyBatch: Stubs['applyBatch']): Scenario => ({
  type: EXECUTE_BATCH,
  workflowId: commandWorkflowId,
  input: (executionPid) => ({ executionPid }),
  stubs: { applyBatch },
});

const BATCHES: Record<string, Scenario> = {
  succeeded: batch(outcomes<void>(undefined)),
  failed: batch(outcomes<void>(FINAL)),
  retried: batch(outcomes<void>(TRANSIENT, undefined)),
  'held-up': batch(() => sleep(13_000)),
};

const DRAFT: PromotionState = { status: 'DRAFT', applyAt: null, applyRequestPid: null };
const VALIDATED: PromotionState = { ...DRAFT, status: 'VALIDATED' };
const APPLIED: PromotionState = { ...DRAFT, status: 'APPLIED' };
const SOAKING: PromotionState = { ...APPLIED, soak: { until: Date.now() + 60_000, everyMs: 500 } };

const ask = (handle: WorkflowHandle, requestPid: string): Promise<unknown> =>
  handle.executeUpdate<unknown, [unknown]>(PROMOTION_REQUEST, { updateId: requestPid, args: [{ requestPid }] });

const promotion = (
  outcomesOf: Record<string, PromotionState | Error>,
  play: Scenario['play'],
  { expiresMs = 3_600_000, requestPids, ...stubs }: { expiresMs?: number; requestPids?: string[] } & Stubs = {},
): Scenario => ({
  type: PROMOTION,
  workflowId: promotionWorkflowId,
  input: (promotionPid) => ({ promotionPid, expiresMs, ...(requestPids && { requestPids }) }),
  stubs: {
    handlePromotionRequest: requests(outcomesOf).handlePromotionRequest,
    readPromotion: outcomes(VALIDATED),
    expirePromotion: outcomes({ ...DRAFT, status: 'EXPIRED' }),
    ...stubs,
  },
  ...(play && { play }),
});
const validateAndApply = async (handle: WorkflowHandle): Promise<void> => {
  await ask(handle, 'validate');
  await ask(handle, 'apply');
};
const soak = (...states: PromotionState[]): Scenario =>
  promotion({ validate: VALIDATED, apply: SOAKING }, validateAndApply, { watchPromotion: outcomes(...states) });
const ROLLBACK = {
  promotionPid: `recorded-inverse-${Date.now()}`,
  requestPids: ['validate', 'apply'],
  targetEnv: 'prod',
  expiresMs: 3_600_000,
};

const PROMOTIONS: Record<string, Scenario> = {
  /** Validated, refused to the creator, approved, applied. */
  applied: promotion(
    { validate: VALIDATED, alone: new ApplicationError('FOUR_EYES_REQUIRED'), apply: APPLIED },
    async (handle) => {
      await ask(handle, 'validate');
      await ask(handle, 'alone').catch(() => undefined);
      await handle.signal<[unknown]>(PROMOTION_APPROVED, { approvalPid: 'approve' });
      await ask(handle, 'apply');
    },
  ),
  scheduled: promotion(
    {
      validate: VALIDATED,
      apply: { ...VALIDATED, applyAt: Date.now() + 3_000, applyRequestPid: 'apply' },
      'apply due': APPLIED,
    },
    validateAndApply,
  ),
  expired: promotion({ validate: VALIDATED }, (handle) => ask(handle, 'validate'), { expiresMs: 1_000 }),
  'soak-passed': soak(SOAKING, APPLIED),
  'soak-rolled-back': soak(SOAKING, { ...APPLIED, rollback: ROLLBACK }),
  /** It carries out what it was started with. */
  inverse: promotion({ validate: VALIDATED, apply: APPLIED }, undefined, { requestPids: ['validate', 'apply'] }),
};

const over = (status: string): DeliveryState & ChatState => ({ status, ended: true, waitMs: 1 });
const waiting = (status: string, waitMs: number): DeliveryState & ChatState => ({ status, ended: false, waitMs });

const delivery = (stubs: Stubs, play?: Scenario['play']): Scenario => ({
  type: DELIVER_WEBHOOK,
  workflowId: deliveryWorkflowId,
  input: (deliveryPid) => ({ deliveryPid, subscriptionPid: 'recorded-subscription' }),
  stubs,
  ...(play && { play }),
});
const attempted = (attemptDelivery: Stubs['attemptDelivery'], play?: Scenario['play']): Scenario =>
  delivery({ attemptDelivery }, play);
const lastAttempt = held(outcomes(over('FAILED'), over('SUCCEEDED')));
const RETRYING = waiting('RETRYING', 500);
const DELIVERIES: Record<string, Scenario> = {
  succeeded: attempted(outcomes(over('SUCCEEDED'))),
  /** The endpoint fails twice; Postgres is away in between. */
  retried: attempted(outcomes<DeliveryState>(RETRYING, TRANSIENT, RETRYING, over('SUCCEEDED'))),
  cancelled: attempted(outcomes(waiting('RETRYING', 600_000), over('CANCELLED')), signalled(DELIVERY_CHANGED)),
  /** Resent while its last attempt is under way. */
  resent: attempted(lastAttempt.stub, async (handle) => {
    await lastAttempt.begun;
    await handle.signal(DELIVERY_CHANGED);
    lastAttempt.release();
  }),
  /** The first attempt was made before. */
  'after-first': {
    ...attempted(outcomes(over('SUCCEEDED'))),
    input: (deliveryPid) => ({ deliveryPid, subscriptionPid: 'recorded-subscription', waitMs: 500 }),
  },
};

const chat = (makeReply: Stubs['makeReply'], play?: Scenario['play']): Scenario => ({
  type: CHAT,
  workflowId: chatWorkflowId,
  input: (messagePid) => ({ messagePid }),
  stubs: { makeReply, giveReplyUp: outcomes(over('FAILED')) },
  ...(play && { play }),
});
const PENDING = waiting('PENDING', 100);

const CHATS: Record<string, Scenario> = {
  completed: chat(outcomes(over('COMPLETED'))),
  /** A command waits to be confirmed, and is. */
  confirmed: chat(outcomes(waiting('WAITING', 60_000), over('COMPLETED')), signalled(CHAT_CHANGED)),
  /** It waits for its turn. */
  queued: chat(outcomes(PENDING, PENDING, over('COMPLETED'))),
  'given-up': chat(outcomes<ChatState>(FINAL)),
};

const call = (key: string): StepCall => ({ key, attempt: 1, timeoutMs: 5_000 });
const look = (status: string, waitMs: number, keys: string[] = []): RunState => ({
  status,
  ended: false,
  steps: keys.map(call),
  waitMs,
});
const ended = (status: string): RunState => ({ status, ended: true, steps: [], waitMs: 60_000 });

/** @param looks what the rows say, one after the other, each until its steps have ended */
function run(
  looks: RunState[],
  { runStep = outcomes<void>(undefined), ...more }: Stubs & Partial<Scenario> = {},
): Scenario {
  const done = new Set<string>();
  let index = -1;
  const advanceRun = async (): Promise<RunState> => {
    if (looks[index]?.steps.every(({ key }) => done.has(key)) ?? true) index += 1;
    return looks[index] ?? ended('SUCCEEDED');
  };
  return {
    type: RUN_AUTOMATION,
    workflowId: runWorkflowId,
    input: (runPid) => ({ runPid }),
    stubs: {
      advanceRun,
      runStep: async (step) => {
        await runStep(step);
        done.add(step.key);
      },
    },
    ...more,
  };
}
const changed = signalled(RUN_CHANGED);

const RUNS: Record<string, Scenario> = {
  /** Two steps, a timer between them. */
  succeeded: run([look('RUNNING', 60_000, ['a']), look('WAITING', 1_000), look('RUNNING', 60_000, ['b'])]),
  parallel: run([look('RUNNING', 60_000, ['a[0]', 'a[1]', 'a[2]'])]),
  decided: run([look('WAITING', 60_000), look('RUNNING', 60_000, ['a'])], { play: changed }),
  cancelled: run([look('WAITING', 60_000), look('RUNNING', 60_000, ['undo:a']), ended('CANCELLED')], { play: changed }),
  retried: run([look('RUNNING', 60_000, ['a'])], { runStep: outcomes<void>(TRANSIENT, TRANSIENT, undefined) }),
  /** So many steps that it goes on in a new history. */
  continued: run(
    Array.from({ length: 150 }, (_, n) => look('RUNNING', 60_000, [`a[${n}]`])),
    { isContinued: true },
  ),
};

const built = (buildNext: Stubs['buildNext']): Scenario => ({
  type: BUILD_TABLES,
  workflowId: (pid) => buildTablesWorkflowId('dev', pid),
  input: () => ({ environment: 'dev' }),
  stubs: { buildNext },
});

/** Batch by batch, until none is left; Postgres is away for a moment in the second one. */
const batches = (
  type: string,
  workflowId: Scenario['workflowId'],
  input: Scenario['input'],
  activity: 'recoverBatch' | 'purgeBatch',
): Record<string, Scenario> => ({
  done: { type, workflowId, input, stubs: { [activity]: outcomes(true, true, false) } },
  retried: { type, workflowId, input, stubs: { [activity]: outcomes<boolean>(true, TRANSIENT, false) } },
});

const fired = (...list: (undefined | Error)[]): Scenario => ({
  type: FIRE_AUTOMATION,
  workflowId: (pid) => pid,
  input: () => ({ environment: 'dev', automationCode: 'a' }),
  stubs: { fireAutomation: outcomes<void>(...list) },
});

const resetMail = (...list: (undefined | Error)[]): Scenario => ({
  type: RESET_MAIL,
  workflowId: resetMailWorkflowId,
  input: (userPid) => ({ userPid }),
  stubs: { sendResetMail: outcomes<void>(...list) },
});

const imported = (runImport: Stubs['runImport']): Scenario => ({
  type: IMPORT_RECORDS,
  workflowId: importWorkflowId,
  input: (importPid) => ({ importPid }),
  stubs: { runImport },
});

const IMPORTS: Record<string, Scenario> = {
  succeeded: imported(outcomes(true)),
  failed: imported(outcomes<boolean>(FINAL)),
  /** A fault, and then a worker without room. */
  retried: imported(outcomes<boolean>(TRANSIENT, false, true)),
  /**
   * Recorded with `limit.historyCount.suggestContinueAsNew=20` at the server: the usual 4,096 events take
   * hours.
   */
  continued: { ...imported(outcomes(...Array.from({ length: 4 }, () => false), true)), isContinued: true },
};

/** By workflow and name, as their files are called. */
export const SCENARIOS: Record<string, Record<string, Scenario>> = {
  'build-tables': {
    succeeded: built(outcomes(true, true, false)),
    failed: built(outcomes<boolean>(true, FINAL)),
    retried: built(outcomes<boolean>(TRANSIENT, true, false)),
  },
  'execute-batch': BATCHES,
  'execute-command': COMMANDS,
  'execute-commands': GROUPS,
  'import-records': IMPORTS,
  promotion: PROMOTIONS,
  'deliver-webhook': DELIVERIES,
  chat: CHATS,
  'run-automation': RUNS,
  'fire-automation': { succeeded: fired(undefined), retried: fired(TRANSIENT, undefined) },
  'reset-mail': { sent: resetMail(undefined), retried: resetMail(TRANSIENT, undefined) },
  'recover-deliveries': batches(
    RECOVER_DELIVERIES,
    recoveryWorkflowId,
    (recoveryPid) => ({ recoveryPid }),
    'recoverBatch',
  ),
  purge: batches(
    PURGE,
    (pid) => pid,
    () => undefined,
    'purgeBatch',
  ),
};
