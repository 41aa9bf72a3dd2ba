import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';

/** The holders that are named; all are counted. */
const NAMED = 10;

/** Which users, of whatever tenant, hold a role; null when none does. */
export async function problemOfHeldRole(em: PlatformEntityManager, role: string): Promise<Message | null> {
  const holders = await em.execute<{ username: string; total: number }[]>(
    `select u.username, (count(*) over ())::int as total from platform."user" u
     where exists (select 1 from platform.membership m where m.user_id = u.id and ? = any(m.roles))
     order by u.username limit ${NAMED}`,
    [role],
  );
  const [first] = holders;
  if (!first) return null;
  const names = holders.map(({ username }) => username).join(', ');
  return text('{count} users have the role {role}: {names}', { count: first.total, role, names });
}
