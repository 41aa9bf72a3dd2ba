import { defineEntity, p } from '@mikro-orm/core';
import type { ValueOrigin } from '../../../../foundation/expressions/value-origin.ts';
import type { StoredError } from '../../../../foundation/errors/failure.ts';

export const RUN_STATUSES = ['PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
/** WAITING: for a time, an event or a person. The last three are ends. */
export type RunStatus = (typeof RUN_STATUSES)[number];

export const STEP_STATUSES = [
  'PENDING',
  'RUNNING',
  'RETRYING',
  'WAITING',
  'SUCCEEDED',
  'FAILED',
  'SKIPPED',
  'CANCELLED',
] as const;
/** PENDING: to be begun again by a retry of the run. RETRYING: an attempt failed, another one follows. */
export type StepStatus = (typeof STEP_STATUSES)[number];

export const RUN_TRIGGERS = ['manual', 'event', 'command', 'schedule'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** One run of an automation. The row is the truth; the workflow `automation:<pid>` keeps it going. */
export const AutomationRunEntity = defineEntity({
  name: 'AutomationRun',
  tableName: 'automation_run',
  properties: {
    pid: p.string().length(32).primary(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    automationCode: p.string().length(48),
    automationPid: p.string().length(32),
    /** The version of the definition that the run follows to its end. */
    version: p.integer(),
    trigger: p.enum([...RUN_TRIGGERS]).$type<RunTrigger>(),
    /** Names the event or due time: it starts the automation once. */
    triggerKey: p.string().length(300).nullable(),
    /**
     * The identity the run acts with: its causer's roles at the start, or the role that the automation names.
     */
    userId: p.bigint('string'),
    userPid: p.string().length(32),
    username: p.string().length(200),
    /** For a program with an API key: the pid of the user who made the key. */
    keyMadeBy: p.string().length(32).nullable(),
    roles: p.array().columnType('text[]'),
    /** The number of runs before it in the chain of causes. */
    depth: p.integer().default(0),
    parentRunPid: p.string().length(32).nullable(),
    input: p.json<Record<string, unknown>>().columnType('json'),
    /** The fields that the input comes from, where a command has given it. */
    inputOrigin: p.json<ValueOrigin>().columnType('json').nullable(),
    event: p.json<unknown>().columnType('json').nullable(),
    status: p.enum([...RUN_STATUSES]).$type<RunStatus>(),
    /** The status it will end with after its compensations. */
    ending: p.enum(['FAILED', 'CANCELLED']).nullable(),
    error: p.json<StoredError>().columnType('json').nullable(),
    /** The number of retries of the failed run. */
    retries: p.integer().default(0),
    /** The number of its steps that are settled. */
    settledSteps: p.integer().default(0),
    /** The number of items of all its for-each steps. */
    items: p.integer().default(0),
    idempotencyKey: p.string().length(200).nullable(),
    requestHash: p.string().length(64),
    traceId: p.string().length(32),
    /** When it was marked for a signal to its workflow; null once that has read the changes. */
    wokenAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    startedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** A step of a run; a step in a for-each has a row for each item. */
export const AutomationStepEntity = defineEntity({
  name: 'AutomationStep',
  tableName: 'automation_step',
  properties: {
    runPid: p.string().length(32).primary(),
    /** The step's id, with the indexes of the items it is for. */
    key: p.string().length(200).primary(),
    ordinal: p.bigint('string'),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    stepId: p.string().length(48),
    iteration: p.array<number>().columnType('integer[]'),
    type: p.string().length(16),
    status: p.enum([...STEP_STATUSES]).$type<StepStatus>(),
    attempt: p.integer(),
    /** Grows when the step was undone and is done again, so that it does not find its earlier effect. */
    round: p.integer(),
    /** The decision of a control step: the case of a branch, the number of items, `STOPPED`. */
    control: p.integer().nullable(),
    /** The first item of a for-each that has not begun. */
    nextItem: p.integer().default(0),
    /** The item that the step is for has ended or is still to come: an advance does not read the step. */
    settled: p.boolean().default(false),
    /** It succeeded, and its compensation has not begun. */
    undoable: p.boolean().default(false),
    output: p.json<unknown>().columnType('json').nullable(),
    error: p.json<StoredError>().columnType('json').nullable(),
    dueAt: p.datetime(3).nullable(),
    /** The event type that the step waits for. */
    waitFor: p.string().length(100).nullable(),
    /** What the event must hold, where its filter says so by an equality. */
    waitCorrelation: p.string().length(32).nullable(),
    approverRole: p.string().length(64).nullable(),
    approverUser: p.string().length(32).nullable(),
    /** The event that the step has sent. */
    eventPid: p.string().length(32).nullable(),
    /** Whether its present state is in the run's stream. */
    published: p.boolean(),
    startedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** The schedule of an automation as it was last put into Temporal, by task queue. */
export const AutomationScheduleEntity = defineEntity({
  name: 'AutomationSchedule',
  tableName: 'automation_schedule',
  properties: {
    taskQueue: p.string().length(255).primary(),
    environment: p.string().length(16).primary(),
    /** Of the automation; of one that is due by the clocks of tenants, `<code>@<zone>`. */
    code: p.string().length(120).primary(),
    spec: p.text(),
  },
});
