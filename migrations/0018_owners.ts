import { Migration } from '@mikro-orm/migrations';

/** The person whose rights a key needs: its maker, until another person adopts it. */
export class Owners0018 extends Migration {
  override up(): void {
    this.addSql('alter table platform.api_key add column owned_by varchar(32)');
    this.addSql('update platform.api_key set owned_by = created_by');
    this.addSql('alter table platform.api_key alter column owned_by set not null');
    this.addSql('create index api_key_by_owner on platform.api_key (owned_by)');
  }
}
