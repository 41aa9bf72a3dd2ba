import { Migration } from '@mikro-orm/migrations';

/**
 * Conversations with assistants, their messages and confirmations; the bindings of instant-message channels.
 */
export class Assistant0009 extends Migration {
  override up(): void {
    this.addSql(`create table platform.ai_conversation (
      id bigint generated always as identity primary key,
      pid varchar(32) not null unique,
      environment varchar(16) not null references platform.environment (code),
      tenant_id bigint not null references platform.tenant,
      assistant_code varchar(64) not null,
      user_pid varchar(32) not null,
      channel varchar(64),
      external_id varchar(200),
      title varchar(200) not null,
      active_message_pid varchar(32),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now())`);
    this.addSql(`create index ai_conversation_of_user on platform.ai_conversation
      (environment, tenant_id, user_pid, updated_at desc) where channel is null`);
    this.addSql(`create unique index ai_conversation_of_channel on platform.ai_conversation
      (environment, tenant_id, channel, external_id) where channel is not null`);

    this.addSql(`create table platform.ai_message (
      id bigint generated always as identity primary key,
      pid varchar(32) not null unique,
      conversation_pid varchar(32) not null references platform.ai_conversation (pid) on delete cascade,
      role text not null check (role in ('user', 'assistant')),
      sender varchar(200),
      text text not null,
      status text not null check (status in ('PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'STOPPED')),
      steps json not null,
      error json,
      stream_id varchar(40),
      attempt int not null default 0,
      stop_requested boolean not null default false,
      dedupe_key varchar(200),
      expires_at timestamptz(3),
      trace_id varchar(32) not null,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3))`);
    this.addSql('create index ai_message_of_conversation on platform.ai_message (conversation_pid, id)');

    this.addSql(`create table platform.ai_confirmation (
      pid varchar(32) primary key,
      message_pid varchar(32) not null references platform.ai_message (pid) on delete cascade,
      call_id varchar(40) not null,
      command_code varchar(100) not null,
      request json not null,
      summary text not null,
      status text not null check (status in ('OPEN', 'CONFIRMED', 'DECLINED', 'EXPIRED')),
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      decided_at timestamptz(3),
      unique (message_pid, call_id))`);

    this.addSql(`create table platform.im_channel_binding (
      id bigint generated always as identity primary key,
      pid varchar(32) not null unique,
      environment varchar(16) not null references platform.environment (code),
      channel_code varchar(64) not null,
      tenant_id bigint not null references platform.tenant,
      roles text[] not null,
      secret text not null,
      reply_url text,
      subscription_pid varchar(32),
      created_by varchar(32) not null,
      created_by_name varchar(200) not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (environment, channel_code))`);
  }
}
