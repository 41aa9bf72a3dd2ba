import { Migration } from '@mikro-orm/migrations';

/** Records come back from the trash, which an index shows; those of today's tables are built beside their writers. */
export class Trash0033 extends Migration {
  override up(): void {
    this.addSql('alter table platform.change_log drop constraint change_log_action_check');
    this.addSql(`alter table platform.change_log add constraint change_log_action_check
      check (action in ('CREATE', 'UPDATE', 'DELETE', 'RESTORE')) not valid`);
    this.addSql(`insert into platform.table_build (pid, environment, model_code, field_code, kind, name, statement)
      select upper(substr(md5(n.nspname || c.relname), 1, 26)), n.nspname, substr(c.relname, 4), 'deleted_at', 'INDEX', i.name,
        format('create index %I on %I.%I (tenant_id, deleted_at desc, id desc) where deleted_at is not null',
          i.name, n.nspname, c.relname)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
        cross join lateral (select 'ix_' || substr(md5(c.relname), 1, 20) || '_trash' as name) i
      where c.relkind = 'r' and c.relname like 'mt\\_%' and n.nspname in ('dev', 'staging', 'prod')`);
  }
}
