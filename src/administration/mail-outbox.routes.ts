import { Router } from 'express';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { answer, ok } from '../http/reply.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { ADMIN_USERS } from '../metadata/permission-codes.ts';
import type { Admit } from './admitted.ts';
import * as contracts from './administration.contracts.ts';

const PATH = '/api/admin/mail-outbox';

/** The e-mails of a development node without an SMTP server. They hold reset tokens, so reading them needs `admin:users`. */
export function mailOutboxRoutes(admit: Admit, outbox: MailOutbox): Router {
  const router = Router();
  router.get(
    PATH,
    access(ADMIN_USERS),
    contract(contracts.listMails),
    answer(async (request) => {
      await admit(request, ADMIN_USERS);
      return ok(await outbox.list());
    }),
  );
  router.all(PATH, onlyMethods('GET'));
  return router;
}
