import { fieldsIn } from '../../../foundation/expressions/value-sources.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { CommandContent } from '../command-content.ts';
import { fieldsHiddenFrom, visibleValue } from '../../../platform/metadata/snapshot/visible-value.ts';
import { commandSources } from '../definition/command-sources.ts';

/**
 * Leaves out of results of a command what comes from fields that its caller may not read, unless the command
 * reveals them.
 */
export function resultPresenter(command: CommandContent, actor: Actor): (result: unknown) => unknown {
  const { result: sources = {} } = commandSources(command);
  const isHidden = fieldsHiddenFrom(actor, command.reveals);
  if (!fieldsIn(sources).some(isHidden)) return (result) => result ?? null;
  return (result) => visibleValue(result, sources, isHidden) ?? null;
}
