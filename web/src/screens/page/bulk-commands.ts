import type { Application, Page } from '../../app/application.ts';
import { commandsOf } from '../../parts/commands/editing-command.ts';
import type { Operation } from '../../parts/commands/command-fields.ts';
import type { BulkCommand } from '../../parts/bulk/run-batch.ts';

const OF_RECORDS: readonly Operation[] = ['UPDATE', 'CUSTOM', 'DELETE'];

/** What can be done with several records of a page at once: changes first, deletions last. */
export function bulkCommandsOf(application: Application, page: Page): BulkCommand[] {
  const all = commandsOf(application, page).flatMap((command) => {
    const { operations, target = false } = command;
    const fitting = OF_RECORDS.filter((one) => operations.includes(one) && (one !== 'CUSTOM' || target));
    return fitting.map((operation) => ({ command, operation }));
  });
  return all.toSorted((one, other) => OF_RECORDS.indexOf(one.operation) - OF_RECORDS.indexOf(other.operation));
}
