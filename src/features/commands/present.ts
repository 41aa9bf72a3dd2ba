import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { CommandContent } from './command-content.ts';
import { fieldsHiddenFrom, visibleValue } from '../../platform/metadata/snapshot/visible-value.ts';
import { commandSources } from './command-sources.ts';

/**
 * A command's result without what comes from fields that its caller may not read, unless the command reveals
 * them.
 */
export function presentResult(result: unknown, command: CommandContent, actor: Actor): unknown {
  const { result: sources = {} } = commandSources(command);
  return visibleValue(result, sources, fieldsHiddenFrom(actor, command.reveals)) ?? null;
}
