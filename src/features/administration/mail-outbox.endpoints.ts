import { type MailOutbox } from '../../platform/mail/mail-outbox.ts';
import { type Authorities } from './authority.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { ADMIN_USERS } from '../../platform/metadata/permissions/permission-codes.ts';
import { list, object, text, TIME } from '../../foundation/validation/schema.ts';

/**
 * The e-mails of a development node without an SMTP server. They hold reset tokens, so reading them needs
 * `admin:users`.
 */
export function mailOutboxEndpoints(outbox: MailOutbox, authorities: Authorities): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/admin/mail-outbox',
      access: [ADMIN_USERS],
      authorize: authorities.requiring(ADMIN_USERS),
      tag: 'Administration',
      summary: 'The last e-mails of a development node; 404 where they go by SMTP',
      data: list(object({ to: text(), subject: text(), text: text(), at: TIME })),
      errors: ['NOT_FOUND'],
      handle: () => outbox.list(),
    }),
  ];
}
