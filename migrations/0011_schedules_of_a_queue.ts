import { Migration } from '@mikro-orm/migrations';

/**
 * Temporal's schedules belong to a task queue, and so does the note of what it was given. The notes there are
 * were made for the default queue, or are made anew by the next start of a worker.
 */
export class SchedulesOfAQueue0011 extends Migration {
  override up(): void {
    this.addSql(`alter table platform.automation_schedule
      add column task_queue varchar(255) not null default 'keelson',
      drop constraint automation_schedule_pkey,
      add primary key (task_queue, environment, code)`);
    this.addSql('alter table platform.automation_schedule alter column task_queue drop default');
  }
}
