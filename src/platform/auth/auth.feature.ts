import type { Foundation } from '../../foundation/foundation.ts';
import type { Languages } from '../../foundation/i18n/languages.ts';
import { authActivities } from '../../../activities/auth.activities.ts';
import type { Mailer } from '../mail/mail.ts';
import type { SnapshotCache } from '../metadata/snapshot/snapshot-cache.ts';
import { MembershipEntity } from './accounts/membership.entity.ts';
import { TenantEntity, timeZonesOfTenants } from './accounts/tenant.entity.ts';
import { UserEntity } from './accounts/user.entity.ts';
import { ApiKeys } from './api-keys/api-keys.ts';
import { followInKeys, keysNaming } from './api-keys/follow-renames.ts';
import { ApiKeyEntity, ServiceAccountEntity } from './api-keys/service-account.entity.ts';
import { authEndpoints } from './auth.endpoints.ts';
import { PasswordResetEntity, ResetMails } from './passwords/reset-mails.ts';
import { PasswordService } from './passwords/password.service.ts';
import { Authenticator } from './requests/authenticator.ts';
import { Credentials } from './requests/credentials.ts';
import { createProfiles, createTenantStates } from './accounts/profile.ts';
import { RateLimits } from './requests/rate-limits.ts';
import { AccessTokenStore } from './sessions/access-token-store.ts';
import { RefreshTokenEntity, SessionEntity } from './sessions/session.entity.ts';
import { sessionRetention, SessionsService } from './sessions/sessions.service.ts';
import { Tokens } from './sessions/token.ts';

/** Who makes a request, and how they log in. Spec: "Authentication". */
export const auth = {
  timeZonesOfTenants,
  entities: [
    TenantEntity,
    UserEntity,
    MembershipEntity,
    SessionEntity,
    RefreshTokenEntity,
    PasswordResetEntity,
    ServiceAccountEntity,
    ApiKeyEntity,
  ],

  followRenames: followInKeys,
  droppedFields: { uses: keysNaming },

  create(foundation: Foundation, snapshots: SnapshotCache, mailer: Mailer, languages: Languages) {
    const { config, logger, metrics, orm, store, temporal } = foundation;
    const accessTokens = new AccessTokenStore(store);
    const tokens = new Tokens(config.jwtSecrets);
    const limits = new RateLimits(store, config.rateLimits, metrics);
    const profiles = createProfiles(orm, store, config.databaseWaitMs);
    const tenantStates = createTenantStates(orm, store, config.databaseWaitMs);
    const apiKeys = new ApiKeys(orm, store, profiles, logger, config.databaseWaitMs);
    const credentials = new Credentials(tokens, accessTokens, profiles, apiKeys);
    const sessions = new SessionsService(orm, accessTokens, tokens);
    const resetMails = new ResetMails(orm, mailer, temporal, config.publicUrl, languages, logger);
    const passwords = new PasswordService(orm, sessions, resetMails);
    return {
      authenticator: new Authenticator(credentials, tenantStates, store, snapshots, limits, config.environment),
      limits,
      profiles,
      tenantStates,
      apiKeys,
      sessions,
      passwords,
      resetMails,
      endpoints: authEndpoints({ orm, sessions, passwords }),
      activities: authActivities(resetMails),
      retention: [sessionRetention(orm, config.retentionDays.sessions)],
      restore: () => resetMails.restore(),
      close: () => resetMails.close(),
    };
  },
};
