import { Migration } from '@mikro-orm/migrations';

/** What the files of applications said when they were last applied in an environment. */
export class ApplicationManifests0032 extends Migration {
  override up(): void {
    this.addSql(`create table platform.application_manifest (
      environment varchar(16) not null references platform.environment (code),
      application varchar(64) not null,
      resources json not null,
      applied_at timestamptz(3) not null,
      applied_by varchar(32) not null,
      applied_by_name varchar(200) not null,
      primary key (environment, application))`);
    this.addSql('alter table platform.promotion add column application json');
    // Files name resources by type and code.
    this.addSql('create index dsl_resource_version_code on platform.dsl_resource_version (resource_type, code)');
  }
}
