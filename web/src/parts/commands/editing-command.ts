import type { Application, Command, Model, Page } from '../../app/application.ts';
import { commandFields } from './command-fields.ts';

/** The commands that a page offers, in its order. */
export function commandsOf(application: Application, page: Page): Command[] {
  return page.commands.flatMap((code) => application.commands.find((command) => command.code === code) ?? []);
}

/** The command of a page that changes a field of a record, and nothing else has to be told. */
export function editingCommand(application: Application, page: Page, model: Model, code: string): Command | undefined {
  return commandsOf(application, page).find(
    (command) =>
      command.operations.includes('UPDATE') &&
      command.transition === undefined &&
      commandFields(command, model, page).some((field) => field.code === code),
  );
}
