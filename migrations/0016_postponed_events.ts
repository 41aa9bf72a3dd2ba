import { Migration } from '@mikro-orm/migrations';

/** Counts the events that were put aside, however long the outbox is. */
export class PostponedEvents0016 extends Migration {
  override up(): void {
    this.addSql(`create index event_postponed on platform.event (environment, created_at)
      where dispatched_at is null and dispatch_failures > 0`);
  }
}
