import { storable } from '../../foundation/validation/formats.ts';
import {
  described,
  integer,
  list,
  MAP,
  mapOf,
  object,
  openObject,
  text,
  withDefault,
} from '../../foundation/validation/schema.ts';
import { REMARK } from '../../platform/audit/reason.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { ADMIN_ENVIRONMENTS } from '../../platform/metadata/permissions/permission-codes.ts';
import { MAX_EXPORT_BYTES } from './environments.limits.ts';
import { ENVIRONMENT_PARAMETER } from './environments.service.ts';
import type { ResetService } from './reset.service.ts';

const PATH = '/api/admin/environments/:environment/reset';
const access = [ADMIN_ENVIRONMENTS];
const params = { environment: ENVIRONMENT_PARAMETER };
const tag = 'Environments';

const COUNT = integer(0, 2 ** 31 - 1);
const REMOVED = object({
  environment: text(),
  recordCount: described('Records of all tenants, deleted ones included', integer(0)),
  models: list(object({ modelCode: text(), records: integer(0) })),
  others: described('What goes with them: name -> how many', mapOf(integer(0))),
});
const SEEDS = openObject({ tenant: storable(), modelCode: storable(), records: list(MAP) });
const ORDER = openObject(
  { recordCount: described('Consent: how many records are lost', COUNT) },
  {
    records: described('Those to begin with, by the names of their tenants', withDefault([], list(SEEDS))),
    reason: REMARK,
  },
);

/** Empties the records of `dev`. */
export function resetEndpoints(resets: ResetService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      access,
      tag,
      summary: 'What a reset of dev would remove',
      params,
      data: REMOVED,
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: ({ params: { environment } }) => resets.preview(environment),
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      access,
      tag,
      summary: 'Empty the records of dev with all that work on them has left, and write others in their place',
      params,
      body: ORDER,
      maxBodyBytes: MAX_EXPORT_BYTES,
      data: object({ removed: REMOVED, written: integer(0) }),
      errors: ['NOT_FOUND', 'CONFLICT', 'ENVIRONMENT_LOCKED'],
      check: ({ body: { records = [] } }, errors) => resets.check(records, errors),
      async handle({ actor, params: { environment }, body, checked: seeds }) {
        const removed = await resets.reset(actor, environment, body, seeds);
        return { removed, written: seeds.reduce((sum, { records }) => sum + records.length, 0) };
      },
    }),
  ];
}
