import { Migration } from '@mikro-orm/migrations';

/** Indexes and constraints of large tables, which are built after the publish that asked for them. */
export class TableBuilds0027 extends Migration {
  override up(): void {
    this.addSql(`create table platform.table_build (
      pid varchar(32) primary key,
      environment varchar(16) not null,
      model_code varchar(48) not null,
      field_code varchar(48) not null,
      kind text not null check (kind in ('INDEX', 'UNIQUE_INDEX', 'NOT_NULL')),
      name varchar(63) not null,
      status text not null default 'QUEUED'
        check (status in ('QUEUED', 'BUILDING', 'DONE', 'FAILED', 'CANCELLED')),
      statement text not null,
      attempts int not null default 0,
      failure text,
      created_at timestamptz(3) not null default now(),
      started_at timestamptz(3),
      finished_at timestamptz(3),
      unique (environment, name))`);
    this.addSql(`create index table_build_open on platform.table_build (environment, created_at)
      where status in ('QUEUED', 'BUILDING', 'CANCELLED')`);
  }
}
