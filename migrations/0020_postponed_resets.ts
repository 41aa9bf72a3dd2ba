import { Migration } from '@mikro-orm/migrations';

/**
 * Resets whose e-mail the mail server did not take are known by their rows, because Temporal may lose its
 * data.
 */
export class PostponedResets0020 extends Migration {
  override up(): void {
    this.addSql(
      'alter table platform.password_reset add column postponed_at timestamptz(3), add column locale varchar(35)',
    );
  }
}
