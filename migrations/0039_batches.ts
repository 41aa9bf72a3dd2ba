import { Migration } from '@mikro-orm/migrations';

/**
 * Executions that are the items of a batch, which is an execution itself; the fields that an UPSERT matches.
 */
export class Batches0039 extends Migration {
  override up(): void {
    this.addSql(
      `alter table platform.command_execution add column batch_pid varchar(32), add column batch_index integer,
        add column match_on text[]`,
    );
    this.addSql(`create index command_execution_of_batch on platform.command_execution (batch_pid, batch_index)
      where batch_pid is not null`);
  }
}
