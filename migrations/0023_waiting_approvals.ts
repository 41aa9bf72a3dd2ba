import { Migration } from '@mikro-orm/migrations';

/** Lists the approvals that wait in a tenant. */
export class WaitingApprovals0023 extends Migration {
  override up(): void {
    this.addSql(`create index automation_step_approvals on platform.automation_step (environment, tenant_id, ordinal)
      where type = 'approval' and status = 'WAITING'`);
  }
}
