import { Migration } from '@mikro-orm/migrations';

/**
 * Sessions with their refresh tokens, password resets, suspended tenants, service accounts with their keys.
 */
export class Accounts0006 extends Migration {
  override up(): void {
    this.addSql(`alter table platform.tenant
      add column status text not null default 'active' check (status in ('active', 'suspended'))`);

    this.addSql(`create table platform.session (
      pid varchar(32) primary key,
      user_id bigint not null references platform."user",
      token_ids text[] not null,
      user_agent varchar(300),
      ip varchar(64),
      created_at timestamptz(3) not null,
      refreshed_at timestamptz(3) not null,
      expires_at timestamptz(3) not null)`);
    this.addSql('create index session_by_user on platform.session (user_id)');
    this.addSql(`create table platform.refresh_token (
      hash varchar(64) primary key,
      session_pid varchar(32) not null references platform.session on delete cascade,
      issued_at timestamptz(3) not null,
      used_at timestamptz(3))`);
    this.addSql('create index refresh_token_by_session on platform.refresh_token (session_pid)');
    this.addSql(`create table platform.password_reset (
      hash varchar(64) primary key,
      user_id bigint not null references platform."user",
      expires_at timestamptz(3) not null)`);
    this.addSql('create index password_reset_by_user on platform.password_reset (user_id)');

    // The ids of users and of service accounts never meet: idempotency keys and limits count by them.
    this.addSql(`create table platform.service_account (
      id bigint primary key default nextval('platform.user_id_seq'),
      pid varchar(32) not null unique,
      tenant_id bigint not null references platform.tenant,
      name varchar(200) not null,
      created_by varchar(32) not null,
      created_at timestamptz(3) not null default now(),
      unique (tenant_id, name))`);
    this.addSql(`create table platform.api_key (
      prefix varchar(40) primary key,
      pid varchar(32) not null unique,
      service_account_id bigint not null references platform.service_account,
      hash varchar(64) not null,
      scopes text[] not null,
      created_by varchar(32) not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3),
      last_used_at timestamptz(3))`);
    this.addSql('create index api_key_by_account on platform.api_key (service_account_id)');
  }
}
