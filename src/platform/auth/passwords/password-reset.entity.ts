import { defineEntity, p } from '@mikro-orm/core';
import { UserEntity } from '../accounts/user.entity.ts';

/**
 * A way to set a user's password without knowing it, known by the hash of its token. Using one removes all of
 * the user's.
 */
export const PasswordResetEntity = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_reset',
  properties: {
    hash: p.string().length(64).primary(),
    user: () => p.manyToOne(UserEntity),
    expiresAt: p.datetime(3),
    /** When the mail server did not take the e-mail. No one has the token: the next attempt makes another. */
    postponedAt: p.datetime(3).nullable(),
    /** Language of the e-mail. BCP 47. */
    locale: p.string().length(35).nullable(),
  },
});
