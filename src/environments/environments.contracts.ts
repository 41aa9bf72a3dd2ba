import { REASON_BODY } from '../audit/reason.ts';
import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import {
  BOOLEAN,
  integer,
  list,
  MAP,
  mapOf,
  named,
  nullable,
  object,
  oneOf,
  openObject,
  PID,
  saying,
  text,
  TIME,
} from '../http/schema.ts';
import { RESOURCE_TYPES } from '../metadata/content.ts';
import { WRITE_POLICIES } from '../metadata/environment.entity.ts';
import { SECRET_NAME } from '../metadata/secret-references.ts';
import { APPROVAL_POLICY, POLICY_BODY } from './approval-policy.ts';
import { SNAPSHOT } from './environment-snapshot.ts';

const tag = 'Environments';

const RESOURCE_TYPE = oneOf(RESOURCE_TYPES);
const VERSION = integer(1);
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
    lockedAt: nullable(TIME),
    metadataVersion: integer(0),
    approvalPolicy: APPROVAL_POLICY,
    pendingPolicy: nullable(
      object({
        approvalPolicy: APPROVAL_POLICY,
        proposedBy: PID,
        proposedByName: text(),
        proposedAt: TIME,
        reason: text(),
      }),
    ),
    resourceCounts: mapOf(integer(0)),
  }),
);
const DIFFERENCES = list(
  named(
    'ResourceDifference',
    object({
      resourceType: RESOURCE_TYPE,
      pid: PID,
      code: text(),
      sourceVersion: nullable(VERSION),
      targetVersion: nullable(VERSION),
      patch: list({ ...MAP, description: 'RFC 6902' }),
      ddl: list(text()),
    }),
  ),
);
const SECRET = object({ name: text({ pattern: SECRET_NAME.source }), updatedAt: TIME, updatedBy: nullable(text()) });
const MAX_SECRET_LENGTH = 8_192;

const ENVIRONMENT_END = saying('is required: dev, staging or prod', storable());

export const path = { environment: text({ description: 'The pid or the code of an environment' }) };

export const listEnvironments: Contract = { tag, summary: 'All environments', data: list(ENVIRONMENT) };
export const diff: Contract = {
  ...{ tag, summary: 'What a promotion of everything would change', errors: ['NOT_FOUND'] },
  query: { source: ENVIRONMENT_END, target: ENVIRONMENT_END },
  requiredQuery: ['source', 'target'],
  data: object({ source: text(), target: text(), added: DIFFERENCES, updated: DIFFERENCES, removed: DIFFERENCES }),
};
export const exportSnapshot: Contract = {
  ...{ tag, summary: 'Take a snapshot of all configuration; read-only', path, budget: 'reads' },
  data: named('EnvironmentExportData', SNAPSHOT),
};
export const changePolicy: Contract = {
  ...{ tag, summary: 'Change who must agree before something is applied', path, body: POLICY_BODY },
  ...{ data: ENVIRONMENT, accepted: ENVIRONMENT },
};
export const setLock: Record<'lock' | 'unlock', Contract> = {
  lock: { tag, summary: 'Lock', path, body: REASON_BODY, data: ENVIRONMENT },
  unlock: { tag, summary: 'Unlock', path, body: REASON_BODY, data: ENVIRONMENT },
};

const secretPath = { ...path, name: text({ pattern: SECRET_NAME.source }) };
export const listSecrets: Contract = { tag, summary: 'The names of its secrets', path, data: list(SECRET) };
export const setSecret: Contract = {
  ...{ tag, summary: 'Set a secret; no answer ever holds the value', path: secretPath, data: SECRET },
  // Nothing of a value stands in the message about it.
  body: openObject({ value: storable({ minLength: 1, maxLength: MAX_SECRET_LENGTH }) }),
};
export const deleteSecret: Contract = {
  ...{ tag, summary: 'Delete a secret', path: secretPath, data: object({ name: text() }), errors: ['CONFLICT'] },
};
