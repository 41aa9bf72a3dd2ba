import { Migration } from '@mikro-orm/migrations';

/**
 * What old runs and old conversations are found by, so that they can be forgotten; and whether any run is
 * open.
 */
export class Retention0010 extends Migration {
  override up(): void {
    this.addSql(`create index automation_run_ended on platform.automation_run (finished_at)
      where status in ('SUCCEEDED', 'FAILED', 'CANCELLED')`);
    this.addSql(`create index automation_run_open on platform.automation_run (pid)
      where status in ('PENDING', 'RUNNING', 'WAITING')`);
    // Open runs, by the run that caused them.
    this.addSql(`create index automation_run_open_child on platform.automation_run (parent_run_pid)
      where parent_run_pid is not null and status in ('PENDING', 'RUNNING', 'WAITING')`);
    this.addSql('create index ai_conversation_updated on platform.ai_conversation (updated_at)');
  }
}
