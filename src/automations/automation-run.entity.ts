import { defineEntity, p } from '@mikro-orm/core';
import type { StoredError } from '../errors/failure.ts';

export const RUN_STATUSES = ['PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
/** WAITING: nothing happens before a time, an event or a person. The last three are ends. */
export type RunStatus = (typeof RUN_STATUSES)[number];

export const STEP_STATUSES = [
  ...['PENDING', 'RUNNING', 'RETRYING', 'WAITING'],
  ...['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED'],
] as const;
/** PENDING: to be begun again by a retry of the run. RETRYING: failed, and will be tried again. */
export type StepStatus =
  'PENDING' | 'RUNNING' | 'RETRYING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';

export const RUN_TRIGGERS = ['manual', 'event', 'command', 'schedule'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** One run of an automation. The row is the truth; the workflow `automation:<pid>` only makes sure that it goes on. */
export const AutomationRunEntity = defineEntity({
  name: 'AutomationRun',
  tableName: 'automation_run',
  properties: {
    pid: p.string().length(32).primary(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    automationCode: p.string().length(48),
    automationPid: p.string().length(32),
    /** The version of the definition that the run follows, whatever is saved meanwhile. */
    version: p.integer(),
    trigger: p.enum([...RUN_TRIGGERS]).$type<RunTrigger>(),
    /** What the trigger was about: it starts the automation once. */
    triggerKey: p.string().length(300).nullable(),
    /** As whom it acts, with the roles they had when it began, or with the role that the automation names. */
    userId: p.bigint('string'),
    userPid: p.string().length(32),
    username: p.string().length(200),
    roles: p.array().columnType('text[]'),
    /** How many runs lie before it in the chain of causes. */
    depth: p.integer().default(0),
    parentRunPid: p.string().length(32).nullable(),
    input: p.json<Record<string, unknown>>().columnType('json'),
    event: p.json<unknown>().columnType('json').nullable(),
    status: p.enum([...RUN_STATUSES]).$type<RunStatus>(),
    /** How it will end once its compensations are done. */
    ending: p.enum(['FAILED', 'CANCELLED']).nullable(),
    error: p.json<StoredError>().columnType('json').nullable(),
    /** How often it was retried after it had failed. */
    retries: p.integer().default(0),
    idempotencyKey: p.string().length(200).nullable(),
    requestHash: p.string().length(64),
    traceId: p.string().length(32),
    /** Since when its workflow should look at it again. Null: it has. */
    wokenAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    startedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** A step of a run: in a for-each, one for each item. */
export const AutomationStepEntity = defineEntity({
  name: 'AutomationStep',
  tableName: 'automation_step',
  properties: {
    runPid: p.string().length(32).primary(),
    /** The step's id, with the numbers of the items it is for. */
    key: p.string().length(200).primary(),
    ordinal: p.bigint('string'),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    stepId: p.string().length(48),
    iteration: p.array<number>().columnType('integer[]'),
    type: p.string().length(16),
    status: p.enum([...STEP_STATUSES]).$type<StepStatus>(),
    attempt: p.integer(),
    /** Grows when the step was undone and is done again: then it must not find what it did before. */
    round: p.integer(),
    /** What a control step decided: the case of a branch, the number of items, whether a condition holds. */
    control: p.integer().nullable(),
    output: p.json<unknown>().columnType('json').nullable(),
    error: p.json<StoredError>().columnType('json').nullable(),
    dueAt: p.datetime(3).nullable(),
    /** The event type that it waits for. */
    waitFor: p.string().length(100).nullable(),
    approverRole: p.string().length(64).nullable(),
    approverUser: p.string().length(320).nullable(),
    /** The event that it has sent. */
    eventPid: p.string().length(32).nullable(),
    /** Whether the run's stream has its present state. */
    told: p.boolean(),
    startedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** What Temporal was given as the schedule of an automation, whose runs the workers of a task queue start. */
export const AutomationScheduleEntity = defineEntity({
  name: 'AutomationSchedule',
  tableName: 'automation_schedule',
  properties: {
    taskQueue: p.string().length(255).primary(),
    environment: p.string().length(16).primary(),
    code: p.string().length(48).primary(),
    spec: p.text(),
  },
});
