import { Migration } from '@mikro-orm/migrations';

/** Commands emit events of their steps beside their own, and ask for runs of automations. */
export class CommandSteps0043 extends Migration {
  override up(): void {
    this.addSql(
      `alter table platform.event add column step_id varchar(48) not null default '', add column run_starts json`,
    );
    this.addSql('create unique index event_of_step on platform.event (execution_pid, step_id)');
    this.addSql('alter table platform.event drop constraint event_execution_pid_key');
    this.addSql('alter table platform.automation_run add column input_sources json');
  }
}
