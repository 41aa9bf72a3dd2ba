import { Migration } from '@mikro-orm/migrations';

/** Names the group whose workflow has ended an execution. */
export class CommandGroups0031 extends Migration {
  override up(): void {
    this.addSql('alter table platform.command_execution add column group_pid varchar(32)');
  }
}
