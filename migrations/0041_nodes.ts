import { Migration } from '@mikro-orm/migrations';

/** What a dead process has accepted and not started is found without waiting for it. */
export class Nodes0041 extends Migration {
  override up(): void {
    this.addSql('alter table platform.command_execution add column node_pid varchar(32)');
  }
}
