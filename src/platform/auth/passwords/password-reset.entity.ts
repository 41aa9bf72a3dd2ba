import { defineEntity, p } from '@mikro-orm/core';
import { UserEntity } from '../accounts/user.entity.ts';

/** A way to set a user's password without knowing it, known by the hash of its token. Using one removes all of the user's. */
export const PasswordResetEntity = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_reset',
  properties: {
    hash: p.string().length(64).primary(),
    user: () => p.manyToOne(UserEntity),
    expiresAt: p.datetime(3),
  },
});
