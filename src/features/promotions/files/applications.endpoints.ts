import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { reply } from '../../../foundation/http/reply.ts';
import { storable } from '../../../foundation/validation/formats.ts';
import {
  BOOLEAN,
  described,
  integer,
  list,
  MAP,
  named,
  nullable,
  object,
  oneOf,
  openObject,
  PID,
  text,
  TIME,
  withDefault,
  parameters,
  VERSION,
} from '../../../foundation/validation/schema.ts';
import { REASON } from '../../../platform/audit/reason.ts';
import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { isDesignable } from '../../../platform/metadata/environments/write-policy.ts';
import { ADMIN_ENVIRONMENTS } from '../../../platform/metadata/permissions/permission-codes.ts';
import { APPLICATION_NAME_PATTERN } from '../../../platform/metadata/resources/common-content.ts';
import { RESOURCE_TYPE } from '../../../platform/metadata/resources/resource-type-names.ts';
import { findEnvironment, ENVIRONMENT_PARAMETER } from '../../environments/environments.service.ts';
import { CONFLICT, PLANNED_CHANGE, PROMOTION, presentPromotion } from '../intake/promotion.schema.ts';
import { MAX_FILES, MAX_IMPORT_BYTES } from '../promotions.limits.ts';
import type { Applied, ApplicationsService } from './applications.service.ts';
import { localize } from './draft-guards.ts';
import type { ApplicationPlan } from './application-plan.ts';
import { applicationsIn } from './applications-in.ts';
import { driftOf } from './drift.ts';

const BASE = '/api/admin/environments/:environment';
const access = [ADMIN_ENVIRONMENTS];
const tag = 'Configuration';
const params = { environment: ENVIRONMENT_PARAMETER };
const APPLICATION = storable({ pattern: APPLICATION_NAME_PATTERN });
const NAMED = { resourceType: RESOURCE_TYPE, pid: PID, code: text() };
const NAMED_VERSION = object({ ...NAMED, version: VERSION });
const CHANGE = object(PLANNED_CHANGE, { renamedFrom: text() });
const APPLIED = named(
  'AppliedFiles',
  object({
    environment: text(),
    status: oneOf(['PLANNED', 'UNCHANGED', 'APPLIED', 'WAITING']),
    planHash: text(),
    /** Whether the environment takes promotions only. */
    needsPromotion: BOOLEAN,
    changes: list(CHANGE),
    /** Of the application, and not in its files. */
    unmanaged: list(NAMED_VERSION),
    /** Of no application, and not in the files. */
    unowned: list(NAMED_VERSION),
    conflicts: list(CONFLICT),
    promotion: nullable(PROMOTION),
  }),
);

/** Configuration as files. All need `admin:environments`. */
export function applicationEndpoints(applications: ApplicationsService, orm: PlatformOrm): readonly Endpoint[] {
  return [listEndpoint(orm), applyEndpoint(applications), driftEndpoint(orm)];
}

function listEndpoint(orm: PlatformOrm): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${BASE}/applications`,
    access,
    tag,
    summary: 'The applications of an environment, and when their files were last applied',
    params,
    data: list(
      object({
        application: text(),
        resources: integer(0),
        files: described(
          'Null for one that is not managed by files',
          nullable(object({ appliedAt: TIME, appliedBy: text(), appliedByName: text() })),
        ),
      }),
    ),
    async handle({ params: { environment } }) {
      const em = orm.em.fork();
      const { code } = await findEnvironment(em, environment);
      return applicationsIn(em, code);
    },
  });
}

function applyEndpoint(applications: ApplicationsService): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${BASE}/apply`,
    access,
    tag,
    summary: "Make an environment what an application's files say, in one transaction",
    params,
    body: openObject(
      {
        application: APPLICATION,
        resources: list(openObject({ resourceType: RESOURCE_TYPE, code: text(), content: MAP }), {
          maxItems: MAX_FILES,
        }),
      },
      {
        prune: withDefault(false, BOOLEAN),
        dryRun: withDefault(false, BOOLEAN),
        allowDestructive: withDefault([], list(storable(), { maxItems: MAX_FILES })),
        planHash: storable(),
        reason: REASON,
      },
    ),
    maxBodyBytes: MAX_IMPORT_BYTES,
    data: APPLIED,
    accepted: APPLIED,
    errors: ['PROMOTION_CONFLICT', 'CONFLICT', 'PROMOTION_STATE', 'STALE_PLAN', 'FOUR_EYES_REQUIRED'],
    async check({ body: { resources = [], application } }, errors) {
      Object.assign(errors, await applications.problemsOf(resources, application));
    },
    async handle({ actor, params: { environment }, body: { dryRun, ...order } }) {
      const applied = dryRun
        ? await applications.plan(environment, order)
        : await applications.apply(actor, environment, order);
      return reply(present(applied), { status: applied.status === 'WAITING' ? 202 : 200 });
    },
  });
}

function driftEndpoint(orm: PlatformOrm): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${BASE}/drift`,
    access,
    tag,
    summary: 'How an environment differs from the files that were last applied, and by whom',
    params,
    query: parameters({}, { application: APPLICATION }),
    data: object({
      environment: text(),
      application: text(),
      appliedAt: TIME,
      appliedBy: text(),
      appliedByName: text(),
      resources: list(
        object({
          resourceType: RESOURCE_TYPE,
          code: text(),
          change: oneOf(['ADDED', 'CHANGED', 'REMOVED']),
          version: VERSION,
          by: nullable(text()),
          byName: nullable(text()),
          at: TIME,
        }),
      ),
    }),
    async handle({ params: { environment }, query: { application } }) {
      const em = orm.em.fork();
      const { code } = await findEnvironment(em, environment);
      const { manifest, resources } = await driftOf(em, code, application);
      const { appliedAt, appliedBy, appliedByName } = manifest;
      return { environment: code, application, appliedAt, appliedBy, appliedByName, resources };
    },
  });
}

function present({ environment, plan, status, promotion }: Applied) {
  return {
    environment: environment.code,
    status,
    planHash: plan.hash,
    needsPromotion: !isDesignable(environment),
    changes: plan.changes,
    unmanaged: plan.unmanaged.map(toName),
    unowned: plan.unowned.map(toName),
    conflicts: plan.conflicts.map(localize),
    promotion: promotion && presentPromotion(promotion),
  };
}

function toName({ resourceType, pid, code, version }: ApplicationPlan['unmanaged'][number]) {
  return { resourceType, pid, code, version };
}
