import {
  BOOLEAN,
  described,
  list,
  MAP,
  named,
  nullable,
  object,
  openObject,
  text,
  withDefault,
} from '../../../foundation/validation/schema.ts';
import { storable } from '../../../foundation/validation/formats.ts';
import { REASON } from '../../../platform/audit/reason.ts';
import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { ADMIN_METADATA } from '../../../platform/metadata/permissions/permission-codes.ts';
import { RESOURCE_TYPE } from '../../../platform/metadata/resources/resource-type-names.ts';
import { CONFLICT, PLANNED_CHANGE, TABLE_PREVIEW } from '../intake/promotion.schema.ts';
import { MAX_IMPORT_BYTES, MAX_SAVED_DRAFTS } from '../promotions.limits.ts';
import { localize } from './draft-guards.ts';
import type { DraftsService, PlannedDrafts } from './drafts.service.ts';

const BASE = '/api/meta/resources';
const access = [ADMIN_METADATA];
const tag = 'Configuration';
const RESOURCES = list(openObject({ resourceType: RESOURCE_TYPE, code: text(), content: MAP }), {
  minItems: 1,
  maxItems: MAX_SAVED_DRAFTS,
});
const PLANNED = named(
  'PlannedDrafts',
  object({
    environment: text(),
    planHash: text(),
    needsPromotion: described('Whether the environment takes promotions only', BOOLEAN),
    lockReason: described('Why it is locked', nullable(text())),
    changes: list(object({ ...PLANNED_CHANGE, table: TABLE_PREVIEW }, { renamedFrom: text() })),
    conflicts: list(CONFLICT),
  }),
);

/** Several resources at once, in the request's environment. */
export function draftEndpoints(drafts: DraftsService): readonly Endpoint[] {
  return [planEndpoint(drafts), saveEndpoint(drafts)];
}

function planEndpoint(drafts: DraftsService): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${BASE}/plan`,
    access,
    tag,
    // It is asked while an author types, and writes nothing.
    budget: 'reads',
    summary: 'What saving resources would do: statements and locks of tables, records that do not fit, what breaks',
    body: openObject({ resources: RESOURCES }),
    maxBodyBytes: MAX_IMPORT_BYTES,
    data: PLANNED,
    async check({ body: { resources = [] } }, errors) {
      Object.assign(errors, await drafts.problemsOf(resources));
    },
    async handle({ actor, body: { resources } }) {
      return present(await drafts.plan(actor.metadata.environment, resources));
    },
  });
}

function saveEndpoint(drafts: DraftsService): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${BASE}/save`,
    access,
    tag,
    summary: 'Save resources, all or none, in one transaction',
    body: openObject(
      { resources: RESOURCES },
      {
        planHash: storable(),
        consent: withDefault([], list(storable(), { maxItems: MAX_SAVED_DRAFTS })),
        reason: REASON,
      },
    ),
    maxBodyBytes: MAX_IMPORT_BYTES,
    data: PLANNED,
    errors: ['ENVIRONMENT_LOCKED', 'PROMOTION_CONFLICT', 'CONFLICT', 'STALE_PLAN'],
    async check({ body: { resources = [] } }, errors) {
      Object.assign(errors, await drafts.problemsOf(resources));
    },
    async handle({ actor, body }) {
      return present(await drafts.save(actor, actor.metadata.environment, body));
    },
  });
}

function present({ conflicts, ...planned }: PlannedDrafts) {
  return { ...planned, conflicts: conflicts.map(localize) };
}
