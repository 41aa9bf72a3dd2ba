import { Migration } from '@mikro-orm/migrations';

/**
 * Gives the tables of published models the indexes that their next publication would: a descending one, with
 * records without a value last, for each indexed or unique field that is not required. It takes its name from
 * the field's other index.
 */
export class DescendingIndexes0014 extends Migration {
  override up(): void {
    this.addSql(`do $$
      declare
        found record;
      begin
        for found in
          select n.nspname, c.relname as table_name, a.attname, min(regexp_replace(i.relname, '_(sort|key)$', '_desc')) as name
          from platform.dsl_resource r
          cross join lateral jsonb_array_elements(r.content->'fields') f
          join pg_namespace n on n.nspname = r.environment
          join pg_class c on c.relnamespace = n.oid and c.relname = 'mt_' || r.code
          join pg_attribute a on a.attrelid = c.oid and a.attname = f->>'code' and not a.attisdropped
          join pg_index x on x.indrelid = c.oid and x.indkey[1] = a.attnum
          join pg_class i on i.oid = x.indexrelid and i.relname ~ '^ix_.*_(sort|key)$'
          where r.resource_type = 'MODEL' and not coalesce((f->>'required')::boolean, false)
            and (coalesce((f->>'indexed')::boolean, false) or coalesce((f->>'unique')::boolean, false))
          group by 1, 2, 3
        loop
          execute format(
            'create index if not exists %I on %I.%I (tenant_id, %I desc nulls last, id desc) where deleted_at is null',
            found.name, found.nspname, found.table_name, found.attname);
        end loop;
      end $$`);
  }
}
