import type { Application } from '../../app/application.ts';
import { commandName } from '../activity/command-name.ts';

/**
 * What people call a command, and its code, which events and logs have; the code alone where they may not run
 * it.
 */
export function commandTitle(application: Application, commandCode: string): string {
  const name = commandName(application, commandCode);
  return name === commandCode ? commandCode : `${name} · ${commandCode}`;
}
