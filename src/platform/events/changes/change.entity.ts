import { defineEntity, p } from '@mikro-orm/core';

export const CHANGE_ACTIONS = ['CREATE', 'UPDATE', 'DELETE', 'RESTORE'] as const;

/**
 * What happened to a record. Append-only; row-level security as on the records themselves. Spec: "data
 * changes emit change-log rows".
 */
export const ChangeEntity = defineEntity({
  name: 'Change',
  tableName: 'change_log',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    modelCode: p.string().length(48),
    recordPid: p.string().length(32),
    action: p.enum([...CHANGE_ACTIONS]).$type<(typeof CHANGE_ACTIONS)[number]>(),
    /** Field code -> value, of the fields that changed; null before a create and after a delete. */
    before: p.json<Record<string, unknown>>().nullable(),
    after: p.json<Record<string, unknown>>().nullable(),
    /** The other fields of the record afterwards, for its event; null where the command's result has them. */
    unchanged: p.json<Record<string, unknown>>().nullable(),
    userPid: p.string().length(32),
    executionPid: p.string().length(32).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});
