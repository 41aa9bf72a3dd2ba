import { defineEntity, p } from '@mikro-orm/core';

/** A field of a model that has got another code, or whose column was dropped. Append-only. */
export const FieldRenameEntity = defineEntity({
  name: 'FieldRename',
  tableName: 'field_rename',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    environment: p.string().length(16),
    modelCode: p.string().length(48),
    fromCode: p.string().length(48),
    /** Null: the column was dropped. */
    toCode: p.string().length(48).nullable(),
    /** Changes of records that began before name the field by its former code. */
    renamedAt: p.datetime(3),
  },
});
