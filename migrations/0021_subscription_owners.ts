import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE } from '../src/foundation/database/pool.ts';

/**
 * The person whose rights a subscription needs. Who matches and sends events has to see what rights those
 * are.
 */
export class SubscriptionOwners0021 extends Migration {
  override up(): void {
    this.addSql('alter table platform.webhook_subscription add column owned_by varchar(32)');
    // A subscription that a program has saved is its key's owner's.
    this.addSql(`update platform.webhook_subscription s set owned_by = coalesce((
      select k.owned_by from platform.api_key k join platform.service_account a on a.id = k.service_account_id
      where a.pid = s.created_by order by k.created_at desc limit 1), s.created_by)`);
    this.addSql('alter table platform.webhook_subscription alter column owned_by set not null');
    this.addSql(`create index webhook_subscription_by_owner on platform.webhook_subscription (owned_by)
      where deleted_at is null`);
    this.addSql(`grant select (id, pid, status) on platform."user" to ${APP_ROLE}`);
    this.addSql(`grant select (user_id, tenant_id, roles) on platform.membership to ${APP_ROLE}`);
  }
}
