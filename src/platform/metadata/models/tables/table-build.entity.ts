import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { BUILD_KINDS } from './table-indexes.ts';

export const BUILD_STATUSES = ['QUEUED', 'BUILDING', 'DONE', 'FAILED', 'CANCELLED'] as const;

/**
 * An index or a constraint of a large table of a model, which a workflow builds after the publish that asked
 * for it.
 */
export const TableBuildEntity = defineEntity({
  name: 'TableBuild',
  tableName: 'table_build',
  properties: {
    pid: p.string().length(32).primary(),
    environment: p.string().length(16),
    modelCode: p.string().length(48),
    fieldCode: p.string().length(48),
    kind: p.enum([...BUILD_KINDS]),
    /** Of the index or the constraint. Unique in the environment. */
    name: p.string().length(63),
    status: p.enum([...BUILD_STATUSES]).default('QUEUED'),
    /** Without `concurrently`, as the plan shows it. */
    statement: p.text(),
    /** Starts so far. */
    attempts: p.integer().default(0),
    /** Why it has failed: a text, or JSON of one with values. */
    failure: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    startedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
  },
});

export type TableBuild = InferEntity<typeof TableBuildEntity>;
