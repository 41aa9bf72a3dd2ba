import { ADMIN_ENVIRONMENTS } from '../../platform/metadata/permissions/permission-codes.ts';
import { text, object, TIME, nullable, list, openObject } from '../../foundation/validation/schema.ts';
import { SECRET_NAME } from '../../platform/metadata/content/secret-references.ts';
import { ENVIRONMENT_PARAMETER } from './environments.service.ts';
import { type EnvironmentSecrets, type ShownSecret } from './environment-secrets.service.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { storable } from '../../foundation/validation/formats.ts';
import { type FieldErrors } from '../../foundation/errors/application-error.ts';
import { MAX_SECRET_LENGTH } from './environments.limits.ts';

const BASE = '/api/admin/environments/:environment/secrets';
const access = [ADMIN_ENVIRONMENTS];
const tag = 'Environments';
const NAME = text({ pattern: SECRET_NAME.source });
const SECRET = object({ name: NAME, updatedAt: TIME, updatedBy: nullable(text()), updatedByName: nullable(text()) });
const params = { environment: ENVIRONMENT_PARAMETER, name: NAME };

/** The secrets of an environment. No answer ever holds a value. All need `admin:environments`. */
export function environmentSecretEndpoints(secrets: EnvironmentSecrets): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access,
      tag,
      summary: 'The names of its secrets',
      params: { environment: ENVIRONMENT_PARAMETER },
      data: list(SECRET),
      handle: async ({ params: { environment } }) => (await secrets.list(environment)).map(present),
    }),
    endpoint({
      method: 'PUT',
      path: `${BASE}/:name`,
      access,
      tag,
      summary: 'Set a secret; no answer ever holds the value',
      params,
      // The message about a value must not quote it.
      body: openObject({ value: storable({ minLength: 1, maxLength: MAX_SECRET_LENGTH }) }),
      data: SECRET,
      check: checkName,
      handle: async ({ actor, params: { environment, name }, body }) =>
        present(await secrets.set(actor, environment, name, body.value)),
    }),
    endpoint({
      method: 'DELETE',
      path: `${BASE}/:name`,
      access,
      tag,
      summary: 'Delete a secret',
      params,
      data: object({ name: text() }),
      errors: ['CONFLICT'],
      check: checkName,
      async handle({ actor, params: { environment, name } }) {
        await secrets.remove(actor, environment, name);
        return { name };
      },
    }),
  ];
}

function checkName({ params: { name } }: { readonly params: { readonly name: string } }, errors: FieldErrors): void {
  if (!SECRET_NAME.test(name)) errors.name = 'must be upper-case letters, digits and _, at most 64, a letter first';
}

function present({ name, updatedAt, updatedBy, updatedByName }: ShownSecret) {
  return { name, updatedAt, updatedBy, updatedByName };
}
