import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/** Runs of automations with their steps, and the schedules that Temporal has been given. */
export class Automations0008 extends Migration {
  override up(): void {
    // An execution that a run asked for: what follows from its event follows from the run.
    this.addSql('alter table platform.command_execution add column run_pid varchar(32)');
    this.addSql(`create index command_execution_of_run on platform.command_execution (run_pid, idempotency_key)
      where run_pid is not null`);

    this.addSql(`create table platform.automation_run (
      pid varchar(32) primary key,
      environment varchar(16) not null references platform.environment (code),
      tenant_id bigint not null references platform.tenant,
      automation_code varchar(48) not null,
      automation_pid varchar(32) not null,
      version int not null,
      trigger text not null check (trigger in ('manual', 'event', 'command', 'schedule')),
      trigger_key varchar(300),
      user_id bigint not null,
      user_pid varchar(32) not null,
      username varchar(200) not null,
      roles text[] not null,
      depth int not null default 0,
      parent_run_pid varchar(32),
      input json not null,
      event json,
      status text not null check (status in ('PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
      ending text check (ending in ('FAILED', 'CANCELLED')),
      error json,
      retries int not null default 0,
      idempotency_key varchar(200),
      request_hash varchar(64) not null,
      trace_id varchar(32) not null,
      woken_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      started_at timestamptz(3),
      finished_at timestamptz(3)) with (fillfactor = 70)`);
    this.addSql(`create unique index automation_run_trigger on platform.automation_run
      (environment, tenant_id, automation_code, trigger_key) where trigger_key is not null`);
    this.addSql(`create unique index automation_run_claim on platform.automation_run
      (environment, tenant_id, user_id, automation_code, idempotency_key) where idempotency_key is not null`);
    this.addSql('create index automation_run_log on platform.automation_run (environment, tenant_id, pid desc)');
    this.addSql(`create index automation_run_woken on platform.automation_run (woken_at) where woken_at is not null`);

    this.addSql(`create table platform.automation_step (
      run_pid varchar(32) not null references platform.automation_run (pid) on delete cascade,
      key varchar(200) not null,
      ordinal bigint generated always as identity,
      environment varchar(16) not null,
      tenant_id bigint not null,
      step_id varchar(48) not null,
      iteration integer[] not null,
      type varchar(16) not null,
      status text not null check (status in ('PENDING', 'RUNNING', 'RETRYING', 'WAITING', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED')),
      attempt int not null,
      round int not null,
      control int,
      output json,
      error json,
      due_at timestamptz(3),
      wait_for varchar(100),
      approver_role varchar(64),
      approver_user varchar(320),
      event_pid varchar(32),
      told boolean not null,
      started_at timestamptz(3),
      finished_at timestamptz(3),
      primary key (run_pid, key)) with (fillfactor = 70)`);
    this.addSql(`create index automation_step_waiting on platform.automation_step (environment, tenant_id)
      where status = 'WAITING' and wait_for is not null`);
    this.addSql(
      'create index automation_step_event on platform.automation_step (event_pid) where event_pid is not null',
    );

    this.addSql(`create table platform.automation_schedule (
      environment varchar(16) not null references platform.environment (code),
      code varchar(48) not null,
      spec text not null,
      primary key (environment, code))`);

    this.addSql(`grant select, insert, update on platform.automation_run to ${APP_ROLE}`);
    this.addSql(`grant select, insert, update, delete on platform.automation_step to ${APP_ROLE}`);
  }
}
