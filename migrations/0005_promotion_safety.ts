import { Migration } from '@mikro-orm/migrations';

/**
 * Approval policies that take two people to loosen; promotions that are watched after they were applied;
 * secrets of environments; and checks of records that also hold for an owner who is bound by row-level
 * security.
 */
export class PromotionSafety0005 extends Migration {
  override up(): void {
    // A looser approval policy that one person has asked for and a second one has not.
    this.addSql('alter table platform.environment add column pending_policy json');
    this.addSql('alter table platform.promotion add column soak json');
    this.addSql(`create table platform.environment_secret (
      environment varchar(16) not null references platform.environment (code),
      name varchar(64) not null,
      sealed text not null,
      updated_by varchar(32) not null,
      updated_at timestamptz(3) not null,
      primary key (environment, name))`);

    // As model-table.ts makes it for new tables.
    this.addSql(`do $$ declare model_table regclass; begin
      for model_table in select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('dev', 'staging', 'prod') and c.relkind = 'r' and c.relname like 'mt\\_%'
      loop
        execute format('create policy owner_counts on %s for select to current_user using (current_setting(''keelson.all_tenants'', true) = ''on'')', model_table);
      end loop;
    end $$`);
  }
}
