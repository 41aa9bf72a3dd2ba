import { Migration } from '@mikro-orm/migrations';

/**
 * The operator of `keyword`: `ilike`, under a name of its own. Postgres uses no index for `ilike` behind
 * row-level security, because that is not marked as leakproof; a superuser may mark a function of ours. The
 * patterns of `keyword` are escaped, so that the function cannot fail on another tenant's text.
 */
export class KeywordOperator0045 extends Migration {
  override up(): void {
    this.addSql(`do $$
      declare
        is_indexable constant boolean := exists (select from pg_extension where extname = 'pg_trgm')
          and (select rolsuper from pg_roles where rolname = current_user);
      begin
        if is_indexable then
          create function platform.matches_keyword(text, text) returns boolean
            language internal immutable strict parallel safe leakproof as 'texticlike';
        else
          create function platform.matches_keyword(text, text) returns boolean
            language sql immutable strict parallel safe return $1 ilike $2;
        end if;
        create operator platform.~~* (
          leftarg = text, rightarg = text, function = platform.matches_keyword, restrict = iclikesel, join = iclikejoinsel);
        if is_indexable then
          create operator class platform.keyword_ops for type text using gin as
            operator 4 platform.~~* (text, text),
            function 1 btint4cmp (int4, int4),
            function 2 gin_extract_value_trgm (text, internal),
            function 3 gin_extract_query_trgm (text, internal, int2, internal, internal, internal, internal),
            function 4 gin_trgm_consistent (internal, int2, text, int4, internal, internal, internal, internal),
            function 6 gin_trgm_triconsistent (internal, int2, text, int4, internal, internal, internal),
            storage int4;
        end if;
      end $$`);
  }
}
