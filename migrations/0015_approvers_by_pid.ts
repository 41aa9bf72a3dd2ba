import { Migration } from '@mikro-orm/migrations';

/**
 * Approvals ask a user by pid. A waiting one that has stored an e-mail gets the pid; a stored name finds no
 * approver.
 */
export class ApproversByPid0015 extends Migration {
  override up(): void {
    this.addSql(`update platform.automation_step s set approver_user = u.pid
      from platform."user" u join platform.membership m on m.user_id = u.id
      where s.type = 'approval' and s.status = 'WAITING' and m.tenant_id = s.tenant_id
        and u.email = lower(s.approver_user)`);
  }
}
