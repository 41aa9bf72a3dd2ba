import type { Application } from '../../app/application.ts';
import { t, type TextKey } from '../../app/texts.ts';

/** Commands of the service, which no application names. */
const BUILT_IN: Readonly<Record<string, TextKey>> = {
  'record:revert': 'A change taken back',
  'record:restore': 'A deletion taken back',
};

/** What people call a command; its code where they may not run it. */
export function commandName({ commands }: Application, commandCode: string): string {
  const builtIn = BUILT_IN[commandCode];
  return commands.find(({ code }) => code === commandCode)?.name ?? (builtIn ? t(builtIn) : commandCode);
}
