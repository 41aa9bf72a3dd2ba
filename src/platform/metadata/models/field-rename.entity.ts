import { defineEntity, p } from '@mikro-orm/core';

/** A field of a model that has got another code. Append-only. */
export const FieldRenameEntity = defineEntity({
  name: 'FieldRename',
  tableName: 'field_rename',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    environment: p.string().length(16),
    modelCode: p.string().length(48),
    fromCode: p.string().length(48),
    toCode: p.string().length(48),
    /** Changes of records that began before name the field by its former code. */
    renamedAt: p.datetime(3),
  },
});
