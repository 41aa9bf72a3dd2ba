import { ADMIN_ENVIRONMENTS } from '../../platform/metadata/permissions/permission-codes.ts';
import {
  described,
  oneOf,
  integer,
  named,
  object,
  PID,
  text,
  BOOLEAN,
  nullable,
  TIME,
  mapOf,
  list,
  MAP,
  withMessage,
  parameters,
  VERSION,
} from '../../foundation/validation/schema.ts';
import { APPLICATION_NAME_PATTERN } from '../../platform/metadata/resources/common-content.ts';
import { RESOURCE_TYPE } from '../../platform/metadata/resources/resource-type-names.ts';
import { WRITE_POLICIES } from '../../platform/metadata/environments/environment.entity.ts';
import { APPROVAL_POLICY, POLICY_BODY, policyOf } from './approval-policy.ts';
import { storable } from '../../foundation/validation/formats.ts';
import {
  type ChangeOutcome,
  type EnvironmentsService,
  type EnvironmentDetails,
  ENVIRONMENT_PARAMETER,
} from './environments.service.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { REASON_BODY } from '../../platform/audit/reason.ts';
import { ENVIRONMENT_EXPORT } from './environment-export.ts';
import { MAX_EXPORT_BYTES } from './environments.limits.ts';
import { reply } from '../../foundation/http/reply.ts';

const BASE = '/api/admin/environments';
const access = [ADMIN_ENVIRONMENTS];
const params = { environment: ENVIRONMENT_PARAMETER };
const tag = 'Environments';
const PROPOSAL = { proposedBy: PID, proposedByName: text(), proposedAt: TIME, reason: text() };
const ENVIRONMENT = named(
  'Environment',
  object({
    pid: PID,
    id: integer(1),
    code: text(),
    name: text(),
    writePolicy: oneOf(WRITE_POLICIES),
    locked: BOOLEAN,
    lockReason: nullable(text()),
    lockedBy: nullable(PID),
    lockedByName: nullable(text()),
    lockedAt: nullable(TIME),
    metadataVersion: integer(0),
    approvalPolicy: APPROVAL_POLICY,
    pendingPolicy: nullable(object({ approvalPolicy: APPROVAL_POLICY, ...PROPOSAL })),
    pendingUnlock: nullable(object(PROPOSAL)),
    resourceCounts: mapOf(integer(0)),
  }),
);
const DIFFERENCES = list(
  named(
    'ResourceDifference',
    object(
      {
        resourceType: RESOURCE_TYPE,
        pid: PID,
        code: text(),
        application: described('The application that it belongs to', nullable(text())),
        sourceVersion: nullable(VERSION),
        targetVersion: nullable(VERSION),
        patch: list({ ...MAP, description: 'RFC 6902' }),
        ddl: list(text()),
      },
      { renamedFrom: text() },
    ),
  ),
);
const APPLICATION = storable({ pattern: APPLICATION_NAME_PATTERN });
const ENVIRONMENT_END = withMessage('is required: dev, staging or prod', storable());

/** Spec: "Endpoints", environments. All need `admin:environments`. */
export function environmentEndpoints(environments: EnvironmentsService): readonly Endpoint[] {
  return [...readEndpoints(environments), ...changeEndpoints(environments)];
}

function readEndpoints(environments: EnvironmentsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access,
      tag,
      summary: 'All environments',
      data: list(ENVIRONMENT),
      handle: async () => (await environments.list()).map(present),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/diff`,
      access,
      tag,
      summary: 'What a promotion of everything would change',
      query: parameters({ app: APPLICATION }, { source: ENVIRONMENT_END, target: ENVIRONMENT_END }),
      data: object({ source: text(), target: text(), added: DIFFERENCES, updated: DIFFERENCES, removed: DIFFERENCES }),
      errors: ['NOT_FOUND'],
      handle: ({ query: { source, target, app } }) => environments.diff(source, target, app),
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/:environment/export`,
      access,
      tag,
      summary: 'Take a snapshot of all configuration; read-only',
      params,
      // A POST by the spec, and a read by what it does.
      budget: 'reads',
      data: named('EnvironmentExportData', ENVIRONMENT_EXPORT),
      handle: async ({ actor, params: { environment } }) =>
        reply(await environments.export(actor, environment), { verbatim: true, maxBytes: MAX_EXPORT_BYTES }),
    }),
  ];
}

function changeEndpoints(environments: EnvironmentsService): readonly Endpoint[] {
  const lockEndpoint = (action: 'lock' | 'unlock', summary: string) =>
    endpoint({
      method: 'POST',
      path: `${BASE}/:environment/${action}`,
      access,
      tag,
      summary,
      params,
      body: REASON_BODY,
      data: ENVIRONMENT,
      ...(action === 'unlock' && { accepted: ENVIRONMENT }),
      handle: async ({ actor, params: { environment }, body }) =>
        answer(await environments.setLock(actor, environment, action === 'lock', body.reason)),
    });
  return [
    endpoint({
      method: 'PATCH',
      path: `${BASE}/:environment`,
      access,
      tag,
      summary: 'Change who must agree before something is applied',
      params,
      body: POLICY_BODY,
      data: ENVIRONMENT,
      accepted: ENVIRONMENT,
      handle: async ({ actor, params: { environment }, body }) =>
        answer(await environments.changePolicy(actor, environment, body)),
    }),
    lockEndpoint('lock', 'Lock'),
    lockEndpoint('unlock', 'Unlock'),
  ];
}

function answer(outcome: ChangeOutcome) {
  return reply(present(outcome), outcome.waits ? { status: 202, message: 'waiting for a second person' } : {});
}

function present({ environment, lockedByName, resourceCounts }: EnvironmentDetails) {
  const { pid, id, code, name, writePolicy, locked, lockReason, lockedBy, lockedAt, metadataVersion } = environment;
  const approvalPolicy = policyOf(environment);
  const pendingPolicy = environment.pendingPolicy ?? null;
  const lock = { locked, lockReason, lockedBy, lockedByName, lockedAt };
  const pending = { pendingPolicy, pendingUnlock: environment.pendingUnlock ?? null };
  return { pid, id, code, name, writePolicy, ...lock, metadataVersion, approvalPolicy, ...pending, resourceCounts };
}
