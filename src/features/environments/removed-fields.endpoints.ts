import { REASON } from '../../platform/audit/reason.ts';
import { storable } from '../../foundation/validation/formats.ts';
import {
  BOOLEAN,
  described,
  integer,
  list,
  mapOf,
  named,
  nullable,
  object,
  openObject,
  parameters,
  text,
} from '../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { ADMIN_ENVIRONMENTS } from '../../platform/metadata/permissions/permission-codes.ts';
import { ENVIRONMENT_PARAMETER } from './environments.service.ts';
import type { RemovedFieldsService } from './removed-fields.service.ts';

const PATH = '/api/admin/environments/:environment/removed-fields';
const access = [ADMIN_ENVIRONMENTS];
const params = { environment: ENVIRONMENT_PARAMETER };
const tag = 'Environments';

const COUNT = integer(0, 2 ** 31 - 1);
const REMOVED_FIELDS = named(
  'RemovedFields',
  object({
    modelCode: text(),
    columnsMade: described('Of the 1,600 that a table can ever have', integer(0)),
    fields: list(object({ code: text(), column: text(), values: nullable(integer(0)) })),
    rewrite: nullable(object({ megabytes: integer(0), seconds: integer(0) })),
  }),
);
const DROP = openObject(
  {
    modelCode: storable(),
    fields: described('Removed fields, each with the number of values that are lost with it', mapOf(COUNT)),
    reason: REASON,
  },
  { rewrite: described('Write the table anew: dropped columns count until then', BOOLEAN) },
);

/** The columns that removed fields have left. */
export function removedFieldEndpoints(fields: RemovedFieldsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      access,
      tag,
      summary: 'Removed fields whose columns are still there; of one model with the numbers of their values',
      params,
      query: parameters({ modelCode: storable() }),
      data: list(REMOVED_FIELDS),
      errors: ['NOT_FOUND'],
      handle: ({ params: { environment }, query: { modelCode } }) => fields.list(environment, modelCode),
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/drop`,
      access,
      tag,
      summary: 'Drop the columns of removed fields with their values, or write a table anew',
      params,
      body: DROP,
      data: object({ modelCode: text(), dropped: list(text()), rewritten: BOOLEAN, columnsMade: integer(0) }),
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: ({ actor, params: { environment }, body }) => fields.drop(actor, environment, body),
    }),
  ];
}
