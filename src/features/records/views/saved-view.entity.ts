import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { View } from '../../../platform/records/pages/view-content.ts';

/** A view of a user's own, in a tenant and an environment. */
export const SavedViewEntity = defineEntity({
  name: 'SavedView',
  tableName: 'saved_view',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    userPid: p.string().length(32),
    pageKey: p.string().length(64),
    name: p.string().length(200),
    conditions: p.json<View['conditions']>().columnType('json'),
    sortFields: p.json<View['sortFields']>().columnType('json'),
    columns: p.json<View['columns']>().columnType('json'),
    display: p.json<View['display']>().columnType('json'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type SavedView = InferEntity<typeof SavedViewEntity>;
