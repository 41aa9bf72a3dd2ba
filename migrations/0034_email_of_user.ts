import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/** Conditions may name the caller's e-mail, which a stored identity does not have. */
export class EmailOfUser0034 extends Migration {
  override up(): void {
    this.addSql(`create function platform.email_of_user(user_pid text) returns text
      language sql stable parallel safe security definer set search_path = pg_catalog as
      $$ select u.email::text from platform."user" u where u.pid = user_pid and u.status = 'active' $$`);
    this.addSql('revoke execute on function platform.email_of_user(text) from public');
    this.addSql(`grant execute on function platform.email_of_user(text) to ${APP_ROLE}`);
  }
}
