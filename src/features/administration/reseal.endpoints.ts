import { list, nullable, object, partial, text, integer } from '../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { ADMIN_ENVIRONMENTS, ADMIN_USERS } from '../../platform/metadata/permissions/permission-codes.ts';
import { type Resealing } from './resealing.ts';

const PROGRESS = object({
  resealed: integer(0),
  unreadable: list(text()),
  left: integer(0),
  cursor: nullable(text()),
});

/**
 * Sealing what is stored under the first key of `SECRETS_KEY`. Needs `admin:environments` and `admin:users`.
 */
export function resealEndpoints(resealing: Resealing): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/admin/secrets/reseal',
      access: [ADMIN_ENVIRONMENTS, ADMIN_USERS],
      tag: 'Administration',
      summary: 'Seal stored secrets under the first key of SECRETS_KEY',
      description:
        'Works through some of what is stored: `left` rows have not been looked at; the next request goes on at `cursor`, which is null at the end. `unreadable` names the secrets that no key opens: they stay as they are. To begin again is harmless.',
      body: partial({ cursor: text({ pattern: '^[a-z-]{1,64}:[A-Za-z0-9_/]{0,100}$' }) }),
      data: PROGRESS,
      handle: ({ actor, body: { cursor = null } }) => resealing.work(actor, cursor),
    }),
  ];
}
