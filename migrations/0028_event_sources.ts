import { Migration } from '@mikro-orm/migrations';

/** Keeps with each event the fields that its body comes from, because its command may change. */
export class EventSources0028 extends Migration {
  override up(): void {
    this.addSql('alter table platform.event add column sources json');
  }
}
