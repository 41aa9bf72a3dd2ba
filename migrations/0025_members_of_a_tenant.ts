import { Migration } from '@mikro-orm/migrations';

/** The members of one tenant are looked up by name. */
export class MembersOfATenant0025 extends Migration {
  override up(): void {
    this.addSql('create index membership_by_tenant on platform.membership (tenant_id, user_id)');
  }
}
