import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { Authorities } from './authority.ts';
import { auditEndpoints } from './audit.endpoints.ts';
import { AuditLog } from '../../platform/audit/audit-log.ts';
import { userEndpoints } from './users/users.endpoints.ts';
import { UsersService } from './users/users.service.ts';
import { UserLookup } from '../../platform/auth/accounts/user-lookup.ts';
import { userLookupEndpoints } from './users/user-lookup.endpoints.ts';
import { tenantEndpoints } from './tenants.endpoints.ts';
import { TenantsService } from './tenants.service.ts';
import { roleEndpoints } from './roles.endpoints.ts';
import { serviceAccountEndpoints } from './service-accounts/service-accounts.endpoints.ts';
import { ServiceAccountsService } from './service-accounts/service-accounts.service.ts';
import { Leaving } from './users/leaving.ts';
import type { Feature } from '../../platform/feature.ts';
import { Resealing } from './resealing.ts';
import { resealEndpoints } from './reseal.endpoints.ts';
import { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import { mailOutboxEndpoints } from './mail-outbox.endpoints.ts';
import { ADMINISTRATION_TEXTS } from './administration.texts.ts';

/** Users, tenants, roles, service accounts and the audit trail. */
export const administration = {
  texts: [ADMINISTRATION_TEXTS],
  create({ orm, installationId }: Foundation, { auth, mailer, snapshots }: Platform, others: readonly Feature[]) {
    const { profiles, tenantStates, sessions, passwords, resetMails, apiKeys } = auth;
    const authorities = new Authorities(snapshots);
    const serviceAccounts = new ServiceAccountsService(orm, apiKeys);
    const leftBehind = others.flatMap(({ leftBehind: find }) => find ?? []);
    const leaving = new Leaving(serviceAccounts, leftBehind);
    const sealed = others.flatMap(({ sealed: own = [] }) => own);
    return {
      endpoints: [
        ...auditEndpoints(new AuditLog(orm)),
        ...userEndpoints(new UsersService(orm, profiles, sessions, passwords, resetMails, leaving), authorities),
        ...userLookupEndpoints(new UserLookup(orm)),
        ...tenantEndpoints(new TenantsService(orm, tenantStates), authorities),
        ...roleEndpoints(authorities),
        ...resealEndpoints(new Resealing(orm, sealed, installationId ?? '')),
        ...serviceAccountEndpoints(serviceAccounts, authorities),
        ...(mailer instanceof MailOutbox ? mailOutboxEndpoints(mailer, authorities) : []),
      ],
    };
  },
};
