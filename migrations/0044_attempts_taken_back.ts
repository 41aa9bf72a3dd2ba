import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/** An attempt that could not be made is taken back. */
export class AttemptsTakenBack0044 extends Migration {
  override up(): void {
    this.addSql(`grant delete on platform.webhook_attempt to ${APP_ROLE}`);
  }
}
