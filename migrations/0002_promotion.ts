import { Migration } from '@mikro-orm/migrations';

/** The audit trail, approval policies, promotions with their requests and approvals. */
export class Promotion0002 extends Migration {
  override up(): void {
    this.addSql(`create table platform.audit_entry (
      id bigint primary key,
      pid varchar(32) not null unique,
      at timestamptz(3) not null,
      actor json not null,
      action varchar(64) not null,
      target_type varchar(32) not null,
      target_pid varchar(100) not null,
      environment varchar(16),
      reason text,
      before json,
      after json,
      trace_id varchar(32),
      previous_hash varchar(64) not null,
      hash varchar(64) not null)`);
    this.addSql('create index audit_entry_target on platform.audit_entry (target_pid, id desc)');
    this.addSql(`create trigger append_only before update or delete on platform.audit_entry
      for each row execute function platform.refuse_change()`);
    this.addSql(`create trigger append_only_whole before truncate on platform.audit_entry
      for each statement execute function platform.refuse_change()`);

    // Who must agree before something is applied here. Spec: "prod: locked, changes only through promotion,
    // with approval".
    this.addSql(`alter table platform.environment
      add column min_approvals int not null default 1 check (min_approvals between 1 and 10),
      add column expires_hours int not null default 168 check (expires_hours between 1 and 8760),
      add column self_approve boolean not null default false`);

    this.addSql(`create table platform.promotion (
      id bigint generated always as identity primary key,
      pid varchar(32) not null unique,
      source_env_id int references platform.environment,
      target_env_id int not null references platform.environment,
      units json not null,
      snapshot json,
      rollback_of varchar(32) references platform.promotion (pid),
      status text not null check (status in
        ('DRAFT', 'VALIDATED', 'APPLIED', 'FAILED', 'REJECTED', 'CANCELLED', 'EXPIRED')),
      auto_include boolean not null default false,
      resolutions json not null,
      conflicts json not null,
      plan json,
      apply_at timestamptz(3),
      created_by varchar(32) not null,
      created_by_name varchar(200) not null,
      created_at timestamptz(3) not null default now(),
      applied_by varchar(32),
      applied_reason text,
      applied_at timestamptz(3),
      failure_reason text)`);
    this.addSql('create index promotion_target on platform.promotion (target_env_id, status)');

    // What was asked of a promotion over HTTP. Temporal carries only the pid: without a row nothing happens.
    this.addSql(`create table platform.promotion_request (
      pid varchar(32) primary key,
      promotion_pid varchar(32) not null references platform.promotion (pid),
      kind text not null check (kind in ('validate', 'approve', 'reject', 'cancel', 'apply')),
      user_pid varchar(32) not null,
      username varchar(200) not null,
      body json not null,
      trace_id varchar(32) not null,
      created_at timestamptz(3) not null default now(),
      handled_at timestamptz(3),
      error json)`);

    this.addSql(`create table platform.promotion_approval (
      pid varchar(32) primary key,
      promotion_pid varchar(32) not null references platform.promotion (pid),
      plan_hash varchar(64) not null,
      user_pid varchar(32) not null,
      username varchar(200) not null,
      comment text,
      created_at timestamptz(3) not null default now(),
      unique (promotion_pid, plan_hash, user_pid))`);
  }
}
