import { mailOutboxEndpoints, resealEndpoints } from './operations.endpoints.ts';
import { userEndpoints, userLookupEndpoints } from './users/users.endpoints.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { requireEverywhere } from './authority.ts';
import { auditEndpoints } from './audit.endpoints.ts';
import { AuditLog } from '../../platform/audit/audit-log.ts';
import { UsersService } from './users/users.service.ts';
import { tenantEndpoints } from './tenants.endpoints.ts';
import { TenantsService } from './tenants.service.ts';
import { roleEndpoints } from './roles.endpoints.ts';
import { serviceAccountEndpoints } from './service-accounts/service-accounts.endpoints.ts';
import { ServiceAccountsService } from './service-accounts/service-accounts.service.ts';
import type { Feature } from '../../platform/feature.ts';
import { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import { ADMINISTRATION_TEXTS } from './administration.texts.ts';

/** Users, tenants, roles, service accounts and the audit trail. */
export const administration = {
  texts: [ADMINISTRATION_TEXTS],
  create({ orm, installationId }: Foundation, { auth, mailer, snapshots }: Platform, others: readonly Feature[]) {
    const { profiles, tenantStates, sessions, passwords, resetMails, apiKeys } = auth;
    const authorize = requireEverywhere(snapshots);
    const serviceAccounts = new ServiceAccountsService(orm, apiKeys);
    const finders = others.flatMap(({ findOrphaned }) => findOrphaned ?? []);
    const leaving = { accounts: serviceAccounts, finders };
    const sealed = others.flatMap(({ sealed: own = [] }) => own);
    return {
      endpoints: [
        ...auditEndpoints(new AuditLog(orm)),
        ...userEndpoints(new UsersService(orm, profiles, sessions, passwords, resetMails, leaving), authorize),
        ...userLookupEndpoints(orm),
        ...tenantEndpoints(new TenantsService(orm, tenantStates, snapshots), authorize),
        ...roleEndpoints(authorize),
        ...resealEndpoints({ orm, stores: sealed, installationId: installationId ?? '' }),
        ...serviceAccountEndpoints(serviceAccounts, authorize),
        ...(mailer instanceof MailOutbox ? mailOutboxEndpoints(mailer, authorize) : []),
      ],
    };
  },
};
