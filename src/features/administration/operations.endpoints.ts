import type { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import type { RequireEverywhere } from './authority.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { ADMIN_USERS, ADMIN_ENVIRONMENTS } from '../../platform/metadata/permissions/permission-codes.ts';
import { list, object, text, TIME, nullable, partial, integer } from '../../foundation/validation/schema.ts';
import { resealSome, type ResealingParts } from './resealing.ts';

const PROGRESS = object({
  resealed: integer(0),
  unreadable: list(text()),
  left: integer(0),
  cursor: nullable(text()),
});

/**
 * Sealing what is stored under the first key of `SECRETS_KEY`. Needs `admin:environments` and `admin:users`.
 */
export function resealEndpoints(parts: ResealingParts): readonly Endpoint[] {
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
      handle: ({ actor, body: { cursor = null } }) => resealSome(parts, actor, cursor),
    }),
  ];
}

/**
 * The e-mails of a development node without an SMTP server. They hold reset tokens, so reading them needs
 * `admin:users`.
 */
export function mailOutboxEndpoints(outbox: MailOutbox, requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/admin/mail-outbox',
      access: [ADMIN_USERS],
      authorize: requireEverywhere(ADMIN_USERS),
      tag: 'Administration',
      summary: 'The last e-mails of a development node; 404 where they go by SMTP',
      data: list(object({ to: text(), subject: text(), text: text(), at: TIME })),
      errors: ['NOT_FOUND'],
      handle: () => outbox.list(),
    }),
  ];
}
