import { Migration } from '@mikro-orm/migrations';

/** Tells which stored values would survive a change of their column's type. */
export class Castable0003 extends Migration {
  override up(): void {
    // A value casts when nothing of it gets lost: a time is no date, and a long text no pid. The types are
    // those that model-table.ts gives to fields; what it does not know is a bug, not a value that does not
    // fit.
    this.addSql(`create function platform.castable(value text, type_name text) returns boolean language plpgsql stable
      as $$ begin
        if value is null or type_name = 'text' then return true; end if;
        case type_name
          when 'integer' then perform value::integer;
          when 'bigint' then perform value::bigint;
          when 'numeric' then return value ~ '^-?\\d{1,30}(\\.\\d{1,20})?$';
          when 'boolean' then return value in ('true', 'false');
          when 'date' then return value ~ '^\\d{4}-' and value::timestamp = value::date;
          when 'timestamp(3) with time zone' then return value ~ '^\\d{4}-' and value::timestamptz is not null;
          when 'jsonb' then perform value::jsonb;
          when 'character varying(32)' then return value ~ '^[0-9A-Za-z]{1,32}$';
          else raise exception 'castable: % is not a type of a field', type_name using errcode = 'undefined_object';
        end case;
        return true;
      exception when data_exception then return false;
      end $$`);
  }
}
