import { Migration } from '@mikro-orm/migrations';

/** Ends a statement whose result grows too large, before the result reaches the program's memory. */
export class ResultSize0024 extends Migration {
  override up(): void {
    this.addSql(`create function platform.require_result_size(bytes bigint, max bigint) returns boolean
      language plpgsql immutable as $$ begin
        if bytes > max then raise exception 'the result is too large' using errcode = 'KE001'; end if;
        return true;
      end $$`);
  }
}
