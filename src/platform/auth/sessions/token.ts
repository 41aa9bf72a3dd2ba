import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { ACCESS_TOKEN_SECONDS } from '../auth.limits.ts';

/** What a token says about its bearer. Whether it still counts, the shared store knows. */
export interface TokenClaims {
  /** `jti` */
  readonly tokenId: string;
  readonly userPid: string;
  /** The tenant of requests without `X-Tenant-Id`. */
  readonly tenantId: string;
}

const ALGORITHM = 'HS256';
const ISSUER = 'keelson';
const AUDIENCE = 'keelson-api';

/**
 * Signs and verifies bearer tokens with one fixed algorithm, issuer and audience. The first secret signs, all
 * verify.
 */
export class Tokens {
  readonly #secrets: readonly [string, ...string[]];
  /** Signatures that have been verified: a client sends the same token with each request. */
  readonly #verified = new LRUCache<string, TokenClaims & { expiresAt: number }>({ max: 5_000 });

  constructor(secrets: readonly [string, ...string[]]) {
    this.#secrets = secrets;
  }

  /** @param issuedAt the token lives for an hour from then on */
  sign({ tokenId, userPid, tenantId }: TokenClaims, issuedAt: Date): string {
    return jwt.sign({ tid: tenantId, iat: Math.floor(issuedAt.getTime() / 1000) }, this.#secrets[0], {
      algorithm: ALGORITHM,
      issuer: ISSUER,
      audience: AUDIENCE,
      subject: userPid,
      jwtid: tokenId,
      expiresIn: ACCESS_TOKEN_SECONDS,
    });
  }

  /**
   * The claims of an `Authorization: Bearer` header.
   * @throws UNAUTHORIZED for a missing, foreign, malformed or expired token
   */
  verify(authorization: string | undefined): TokenClaims {
    const token = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new ApplicationError('UNAUTHORIZED');
    const known = this.#verified.get(token);
    if (known && known.expiresAt > Date.now()) return known;
    const claims = this.#decode(token);
    this.#verified.set(token, claims);
    return claims;
  }

  #decode(token: string): TokenClaims & { expiresAt: number } {
    let cause: unknown;
    for (const secret of this.#secrets) {
      try {
        const { jti, sub, tid, exp } = jwt.verify(token, secret, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
        }) as jwt.JwtPayload;
        if (jti && sub && typeof tid === 'string' && exp) {
          return { tokenId: jti, userPid: sub, tenantId: tid, expiresAt: exp * 1000 };
        }
      } catch (error) {
        cause = error;
      }
    }
    throw new ApplicationError('UNAUTHORIZED', { cause });
  }
}
