import { Migration } from '@mikro-orm/migrations';

/** Approval policies that take two people to loosen; promotions that are watched after they were applied. */
export class PromotionSafety0005 extends Migration {
  override up(): void {
    // A looser approval policy that one person has asked for and a second one has not.
    this.addSql('alter table platform.environment add column pending_policy json');
    this.addSql('alter table platform.promotion add column soak json');
  }
}
