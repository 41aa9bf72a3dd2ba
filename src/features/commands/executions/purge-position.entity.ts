import { defineEntity, p } from '@mikro-orm/core';

/** How far a retention rule has come through rows that stay. */
export const PurgePositionEntity = defineEntity({
  name: 'PurgePosition',
  tableName: 'purge_position',
  properties: {
    name: p.string().length(64).primary(),
    /** The first key that is still to do. */
    position: p.string().length(64),
  },
});
