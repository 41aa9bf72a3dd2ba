import { Migration } from '@mikro-orm/migrations';

/** Lists of executions, newest first: one user's, a tenant's, and those of a record. */
export class ListsOfExecutions0036 extends Migration {
  override up(): void {
    this.addSql(`create index command_execution_by_user on platform.command_execution
      (environment, tenant_id, user_pid, pid)`);
    this.addSql('create index command_execution_by_tenant on platform.command_execution (environment, tenant_id, pid)');
  }
}
