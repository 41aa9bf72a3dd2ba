import { Migration } from '@mikro-orm/migrations';

/**
 * The person behind a program, for what is decided later: where two people must agree, a program counts as
 * one.
 */
export class PeopleBehindKeys0013 extends Migration {
  override up(): void {
    this.addSql('alter table platform.command_execution add column key_made_by varchar(32)');
    this.addSql('alter table platform.automation_run add column key_made_by varchar(32)');
  }
}
