import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/** The runs of a suspended tenant pause: advancing a run has to see whether its tenant is suspended. */
export class PausedRuns0012 extends Migration {
  override up(): void {
    this.addSql(`grant select (id, status) on platform.tenant to ${APP_ROLE}`);
  }
}
