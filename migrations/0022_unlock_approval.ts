import { Migration } from '@mikro-orm/migrations';

/** Unlocking while a promotion is open would let its creator apply it alone. */
export class UnlockApproval0022 extends Migration {
  override up(): void {
    this.addSql('alter table platform.environment add column unlock_approval boolean not null default false');
    this.addSql('alter table platform.environment add column pending_unlock json');
    this.addSql(`update platform.environment set unlock_approval = true where code in ('staging', 'prod')`);
  }
}
