import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { UserEntity } from '../accounts/user.entity.ts';

/** One log-in of a user, with all tokens that descend from it. A session that has ended has no row. */
export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    pid: p.string().length(32).primary(),
    user: () => p.manyToOne(UserEntity),
    /** The `jti` of its access tokens that may still be live, the newest last. */
    tokenIds: p.array().columnType('text[]'),
    userAgent: p.string().length(300).nullable(),
    ip: p.string().length(64).nullable(),
    createdAt: p.datetime(3),
    refreshedAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
});

export type Session = InferEntity<typeof SessionEntity>;

/** A refresh token, known by its hash. It stays after its use, so that a second use is noticed. */
export const RefreshTokenEntity = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_token',
  properties: {
    hash: p.string().length(64).primary(),
    session: () => p.manyToOne(SessionEntity).fieldName('session_pid').deleteRule('cascade'),
    issuedAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
});
