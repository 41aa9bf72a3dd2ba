import { Migration } from '@mikro-orm/migrations';

/** Lets the owner of the tables forget old history, and finds sessions that have expired. */
export class Forgetting0029 extends Migration {
  override up(): void {
    this.addSql('drop trigger append_only on platform.change_log');
    this.addSql(`create trigger append_only before update on platform.change_log
      for each row execute function platform.refuse_change()`);
    this.addSql(`create trigger forgotten_on_purpose before delete on platform.change_log
      for each row when (current_setting('keelson.forget', true) is distinct from 'on')
      execute function platform.refuse_change()`);
    // The role of requests has no right to delete, whatever it sets.
    this.addSql(`create policy owner_forgets on platform.change_log to current_user
      using (current_setting('keelson.forget', true) = 'on')`);
    this.addSql('create index session_expired on platform.session (expires_at)');
    this.addSql('create index password_reset_expired on platform.password_reset (expires_at)');
    this.addSql(`create table platform.purge_position (
      name varchar(64) primary key,
      position varchar(64) not null)`);
    this.addSql(`insert into platform.purge_position values ('execution_payloads', '')`);
  }
}
