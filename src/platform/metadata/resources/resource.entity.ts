import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * A DSL resource as it stands in one environment. Its `pid` is the same in every environment it was promoted
 * to.
 */
export const ResourceEntity = defineEntity({
  name: 'Resource',
  tableName: 'dsl_resource',
  primaryKeys: ['environment', 'pid'],
  uniques: [{ properties: ['environment', 'resourceType', 'code'] }],
  properties: {
    environment: p.string().length(16).primary(),
    pid: p.string().length(32).primary(),
    resourceType: p.string().length(32),
    code: p.string().length(100),
    version: p.integer(),
    content: p.json<object>(),
    updatedBy: p.string().length(32).nullable(),
    updatedAt: p.datetime(3),
  },
});

export type Resource = InferEntity<typeof ResourceEntity>;

/**
 * Every version a resource ever had in an environment, in the order in which it had them: a rollback brings a
 * version back and so adds a second row of it. Append-only: a trigger refuses update and delete.
 */
export const ResourceVersionEntity = defineEntity({
  name: 'ResourceVersion',
  tableName: 'dsl_resource_version',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    environment: p.string().length(16),
    pid: p.string().length(32),
    version: p.integer(),
    resourceType: p.string().length(32),
    code: p.string().length(100),
    /** Null where the resource left the environment. */
    content: p.json<object | null>().nullable(),
    updatedBy: p.string().length(32).nullable(),
    updatedAt: p.datetime(3),
  },
});
