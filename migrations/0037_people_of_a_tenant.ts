import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/** Records name people by pid, also those who have left: their names are read with the records. */
export class PeopleOfATenant0037 extends Migration {
  override up(): void {
    this.addSql(`alter table platform."user" add column former_tenants bigint[] not null default '{}'`);
    // Of earlier departures only the one from the first tenant can be known.
    this.addSql(`update platform."user" u set former_tenants = array[u.default_tenant_id] where not exists (
      select from platform.membership m where m.user_id = u.id and m.tenant_id = u.default_tenant_id)`);
    this.addSql(`create function platform.remember_former_tenant() returns trigger language plpgsql as $$
      begin
        update platform."user" set former_tenants = former_tenants || old.tenant_id
        where id = old.user_id and not old.tenant_id = any(former_tenants);
        return null;
      end $$`);
    this.addSql(`create trigger remember_former_tenant after delete on platform.membership
      for each row execute function platform.remember_former_tenant()`);
    this.addSql(`create function platform.people_of_tenant(tenant bigint, pids text[])
      returns table (pid text, username text)
      language sql stable parallel safe security definer set search_path = pg_catalog as $$
        select u.pid::text, u.username::text from platform."user" u
        where u.pid = any(pids) and (tenant = any(u.former_tenants) or exists (
          select from platform.membership m where m.user_id = u.id and m.tenant_id = tenant))
        union all
        select a.pid::text, a.name::text from platform.service_account a
        where a.pid = any(pids) and a.tenant_id = tenant $$`);
    this.addSql('revoke execute on function platform.people_of_tenant(bigint, text[]) from public');
    this.addSql(`grant execute on function platform.people_of_tenant(bigint, text[]) to ${APP_ROLE}`);
  }
}
