import type { IncomingMessage } from 'node:http';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { ApiKeys } from '../api-keys/api-keys.ts';
import type { Caller, Claim } from '../caller.ts';
import type { Profiles } from '../accounts/profile.ts';
import type { AccessTokenStore } from '../sessions/access-token-store.ts';
import type { Tokens } from '../sessions/token.ts';

/** The parts of a request that carry its credentials. */
export type Bearer = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** Reads `Authorization`: the access token of a session, or the API key of a service account. */
export class Credentials {
  readonly #tokens: Tokens;
  readonly #sessions: AccessTokenStore;
  readonly #profiles: Profiles;
  readonly #keys: ApiKeys;

  constructor(tokens: Tokens, sessions: AccessTokenStore, profiles: Profiles, keys: ApiKeys) {
    this.#tokens = tokens;
    this.#sessions = sessions;
    this.#profiles = profiles;
    this.#keys = keys;
  }

  /** @throws UNAUTHORIZED for what cannot be true, whatever the shared store says */
  claim({ headers, rawHeaders }: Bearer): Claim {
    // Node gives the first of several; a proxy may have looked at the last.
    if (isRepeated(rawHeaders, 'authorization')) throw new ApplicationError('UNAUTHORIZED');
    return this.#keys.claim(headers.authorization) ?? this.#claimOfToken(headers.authorization);
  }

  #claimOfToken(authorization: string | undefined): Claim {
    const { tokenId, userPid, tenantId } = this.#tokens.verify(authorization);
    const readSession = this.#sessions.readCommand(tokenId);
    return {
      tenantId,
      rateLimitKey: userPid,
      sessionKey: String(readSession[1]),
      // Its signature has been verified.
      isFamiliar: true,
      commands: [readSession, this.#profiles.readCommand(userPid)],
      confirm: async ([tokenReply, profileReply]): Promise<Caller> => {
        const live = this.#sessions.parse(tokenReply);
        if (live?.userPid !== userPid) throw new ApplicationError('UNAUTHORIZED');
        const profile = await this.#profiles.resolve(userPid, profileReply);
        if (!profile?.active) throw new ApplicationError('UNAUTHORIZED');
        const { userId, username, memberships } = profile;
        return { userId, userPid, username, memberships, sessionPid: live.sessionPid };
      },
    };
  }
}

function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at];
    if (header?.length === name.length && header.toLowerCase() === name) seen += 1;
  }
  return seen > 1;
}
