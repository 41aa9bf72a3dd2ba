import { Migration } from '@mikro-orm/migrations';

/** An installation is known by its database. Redis keys and the default task queue carry its id. */
export class Installation0019 extends Migration {
  override up(): void {
    this.addSql(`create table platform.installation (
      id varchar(32) primary key,
      created_at timestamptz(3) not null default now())`);
    this.addSql('create unique index installation_is_one_row on platform.installation ((true))');
    this.addSql(`insert into platform.installation (id) values (left(replace(gen_random_uuid()::text, '-', ''), 12))`);
  }
}
