import { Migration } from '@mikro-orm/migrations';

/** A channel works while the person who bound it may give its roles. */
export class ChannelOwners0026 extends Migration {
  override up(): void {
    this.addSql('alter table platform.im_channel_binding add column owned_by varchar(32)');
    // A channel that a program has bound answers to the owner of its key, as a subscription does.
    this.addSql(`update platform.im_channel_binding b set owned_by = coalesce((
      select k.owned_by from platform.api_key k join platform.service_account a on a.id = k.service_account_id
      where a.pid = b.created_by order by k.created_at desc limit 1), b.created_by)`);
    this.addSql('alter table platform.im_channel_binding alter column owned_by set not null');
    this.addSql('create index im_channel_binding_by_owner on platform.im_channel_binding (owned_by)');
  }
}
