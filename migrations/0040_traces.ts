import { Migration } from '@mikro-orm/migrations';

/** What a request has caused is found by its trace id. */
export class Traces0040 extends Migration {
  override up(): void {
    for (const table of ['command_execution', 'event', 'automation_run']) {
      this.addSql(`create index ${table}_of_trace on platform.${table} (trace_id)`);
    }
  }
}
