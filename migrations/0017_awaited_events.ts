import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/**
 * Steps that wait for an event are found by what the event has; events that are awaited are delivered after
 * the relay.
 */
export class AwaitedEvents0017 extends Migration {
  override up(): void {
    this.addSql('alter table platform.automation_step add column wait_correlation varchar(32)');
    this.addSql('drop index platform.automation_step_waiting');
    this.addSql(`create index automation_step_waiting on platform.automation_step (environment, tenant_id, wait_for)
      where status = 'WAITING' and wait_for is not null`);
    this.addSql(`create index automation_step_correlation on platform.automation_step
      (environment, tenant_id, wait_correlation, ordinal) where status = 'WAITING' and wait_for is not null`);

    this.addSql(`create table platform.awaited_event (
      event_id bigint primary key,
      event_pid varchar(32) not null,
      environment varchar(16) not null,
      tenant_id bigint not null,
      seen_at timestamptz(3) not null default now(),
      after_ordinal bigint not null default 0,
      failures int not null default 0)`);
    this.addSql('create index awaited_event_of_tenant on platform.awaited_event (environment, tenant_id, event_id)');
    this.addSql(`grant select, insert, update, delete on platform.awaited_event to ${APP_ROLE}`);
  }
}
