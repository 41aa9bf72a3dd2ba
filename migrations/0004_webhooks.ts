import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/**
 * Webhook subscriptions with the state of their endpoints, deliveries with their attempts, recoveries; what
 * the outbox needs for them.
 */
export class Webhooks0004 extends Migration {
  override up(): void {
    // Events that no command made have no execution. The changes of a command are where `record.*` events
    // come from.
    this.addSql(`alter table platform.event
      alter column execution_pid drop not null,
      add column change_ids bigint[] not null default '{}',
      add column record_pid varchar(32),
      add column dispatch_failures int not null default 0,
      add column dispatch_after timestamptz(3)`);
    // A record's events are delivered in their order where a subscription asks for that.
    this.addSql(`create index event_to_do_of_record on platform.event (record_pid, id)
      where dispatched_at is null and record_pid is not null`);
    this.addSql('create index event_recent on platform.event (environment, tenant_id, event_type, id desc)');
    this.addSql('create index event_age on platform.event (created_at)');

    this.addSql(`create table platform.webhook_subscription (
      id bigint generated always as identity primary key,
      pid varchar(32) not null unique,
      environment varchar(16) not null references platform.environment (code),
      tenant_id bigint not null references platform.tenant,
      name varchar(200) not null,
      description varchar(2000),
      target_url text not null,
      event_type varchar(100) not null,
      model_code varchar(48),
      filter_expression text,
      secrets json not null,
      headers text,
      max_retries int not null check (max_retries between 0 and 20),
      timeout_ms int not null check (timeout_ms between 500 and 30000),
      retry_schedule_ms int[],
      rate_limit_per_second int check (rate_limit_per_second between 1 and 1000),
      ordering text not null check (ordering in ('none', 'record')),
      enabled boolean not null,
      disabled_reason text,
      roles text[] not null,
      created_by varchar(32) not null,
      created_by_name varchar(200) not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3))`);
    this.addSql(`create index webhook_subscription_of_tenant on platform.webhook_subscription (environment, tenant_id, id desc)
      where deleted_at is null`);

    // What is known of an endpoint's health. Its row is also the lock under which slots are given out.
    this.addSql(`create table platform.webhook_endpoint (
      subscription_pid varchar(32) primary key references platform.webhook_subscription (pid),
      failures int not null default 0,
      open_until timestamptz(3),
      cool_down_ms int not null default 0,
      tokens double precision not null default 0,
      refilled_at timestamptz(3) not null default now()) with (fillfactor = 50)`);

    this.addSql(`create table platform.webhook_delivery (
      id bigint generated always as identity primary key,
      pid varchar(32) not null unique,
      environment varchar(16) not null,
      tenant_id bigint not null,
      subscription_pid varchar(32) not null references platform.webhook_subscription (pid),
      event_pid varchar(32) not null,
      event_id bigint not null,
      event_type varchar(100) not null,
      model_code varchar(48) not null,
      body text,
      trace_id varchar(32) not null,
      status text not null check (status in ('PENDING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
      reason text,
      attempt_count int not null default 0,
      failed_count int not null default 0,
      next_trigger text not null check (next_trigger in ('event', 'retry', 'resend', 'recover')),
      next_attempt_at timestamptz(3),
      expires_at timestamptz(3) not null,
      queued_at timestamptz(3),
      slot_until timestamptz(3),
      order_key varchar(32),
      recovery_pid varchar(32),
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      unique (event_pid, subscription_pid)) with (fillfactor = 70)`);
    this.addSql('create index webhook_delivery_log on platform.webhook_delivery (subscription_pid, id desc)');
    this.addSql(`create index webhook_delivery_queue on platform.webhook_delivery (subscription_pid, queued_at, id)
      where queued_at is not null`);
    this.addSql(`create index webhook_delivery_slots on platform.webhook_delivery (subscription_pid, slot_until)
      where slot_until is not null`);
    this.addSql(`create index webhook_delivery_order on platform.webhook_delivery (subscription_pid, order_key, event_id)
      where order_key is not null and status in ('PENDING', 'RETRYING')`);
    this.addSql(`create index webhook_delivery_due on platform.webhook_delivery (next_attempt_at)
      where next_attempt_at is not null`);
    this.addSql(`create index webhook_delivery_exhausted on platform.webhook_delivery (subscription_pid, finished_at)
      where status = 'FAILED'`);
    this.addSql('create index webhook_delivery_age on platform.webhook_delivery (created_at)');

    // Written before the request goes out: an attempt that never finished shows as unknown.
    this.addSql(`create table platform.webhook_attempt (
      delivery_pid varchar(32) not null references platform.webhook_delivery (pid) on delete cascade,
      number int not null,
      subscription_pid varchar(32) not null,
      trigger text not null check (trigger in ('event', 'retry', 'resend', 'recover')),
      started_at timestamptz(3) not null,
      finished_at timestamptz(3),
      duration_ms int,
      status_code int,
      error_class text,
      error_message text,
      ip varchar(64),
      response_body text,
      response_truncated boolean,
      next_attempt_at timestamptz(3),
      primary key (delivery_pid, number))`);
    this.addSql('create index webhook_attempt_recent on platform.webhook_attempt (subscription_pid, started_at desc)');

    this.addSql(`create table platform.webhook_recovery (
      pid varchar(32) primary key,
      subscription_pid varchar(32) not null references platform.webhook_subscription (pid),
      environment varchar(16) not null,
      tenant_id bigint not null,
      since timestamptz(3) not null,
      until timestamptz(3) not null,
      status text not null check (status in ('RUNNING', 'DONE', 'CANCELLED')),
      total int not null,
      resent int not null default 0,
      created_by varchar(32) not null,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3))`);
    this.addSql(
      'create index webhook_recovery_of_subscription on platform.webhook_recovery (subscription_pid, created_at desc)',
    );

    this.addSql(`grant select on platform.webhook_subscription to ${APP_ROLE}`);
    this.addSql(`grant select, update on platform.webhook_endpoint to ${APP_ROLE}`);
    this.addSql(`grant select, insert, update on platform.webhook_delivery, platform.webhook_attempt, platform.webhook_recovery
      to ${APP_ROLE}`);
  }
}
