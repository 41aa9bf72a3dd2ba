import { defineEntity, p } from '@mikro-orm/core';
import type { Operation } from '../definition/command-content.ts';
import type { StoredError } from '../../../foundation/errors/failure.ts';

export const EXECUTION_STATUSES = ['RECEIVED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** The operation of an execution whose items are executions. */
export const BATCH = 'BATCH';
export type ExecutedOperation = Operation | typeof BATCH;

/**
 * One request to execute a command: its input, its outcome, and the claim on its idempotency key. The row is
 * the truth about the command; the Temporal workflow only makes sure that it reaches an end.
 */
export const ExecutionEntity = defineEntity({
  name: 'CommandExecution',
  tableName: 'command_execution',
  properties: {
    pid: p.string().length(32).primary(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    userId: p.bigint('string'),
    userPid: p.string().length(32),
    username: p.string().length(200),
    /** For a program with an API key: the pid of the user who made the key. */
    keyMadeBy: p.string().length(32).nullable(),
    /**
     * The roles the caller had when the command was accepted: a worker decides with these, not with later
     * ones.
     */
    roles: p.array().columnType('text[]'),
    commandCode: p.string().length(100),
    operation: p.string().length(16).$type<ExecutedOperation>(),
    targetRecordId: p.string().length(32).nullable(),
    expectedVersion: p.integer().nullable(),
    /** The fields by which an UPSERT finds its record. */
    matchOn: p.array().columnType('text[]').nullable(),
    /**
     * The version of the environment's configuration that accepted the command; a worker runs it with no
     * older one.
     */
    metadataVersion: p.integer(),
    payload: p.json<Record<string, unknown>>().columnType('json'),
    /** Null without a key, and again once the key is free: the command failed, or its 24 hours are over. */
    idempotencyKey: p.string().length(200).nullable(),
    requestHash: p.string().length(64),
    status: p.enum([...EXECUTION_STATUSES]).$type<ExecutionStatus>(),
    result: p.json<unknown>().columnType('json').nullable(),
    error: p.json<StoredError>().columnType('json').nullable(),
    traceId: p.string().length(32),
    /** The run of an automation that asked for it. */
    runPid: p.string().length(32).nullable(),
    /** The process that has accepted it. */
    nodePid: p.string().length(32).nullable(),
    /** The group whose workflow has ended it; null: it had the workflow `command:<pid>`. */
    groupPid: p.string().length(32).nullable(),
    /** The batch that it is an item of; of a batch its own pid. */
    batchPid: p.string().length(32).nullable(),
    /** Its place in the batch. */
    batchIndex: p.integer().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});
