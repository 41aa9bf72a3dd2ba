import { defineEntity, p } from '@mikro-orm/core';

/** The last number that a sequence field of a tenant's records has got in a period. */
export const SequenceCounterEntity = defineEntity({
  name: 'SequenceCounter',
  tableName: 'sequence_counter',
  properties: {
    environment: p.string().length(16).primary(),
    tenantId: p.bigint('string').primary(),
    modelCode: p.string().length(48).primary(),
    fieldCode: p.string().length(48).primary(),
    /** `2026`, `2026-01`, or empty where numbers never begin again. */
    period: p.string().length(8).primary(),
    value: p.bigint('string'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});
