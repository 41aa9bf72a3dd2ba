import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { CommandContent } from './command-content.ts';
import { hiddenFields, withoutFields } from '../../platform/metadata/snapshot/hidden-fields.ts';
import { modelsOf } from './command-type.ts';

/**
 * A command's result without the fields that its caller may not read. A plain command's result is a record of
 * its model; a command with steps answers what its author chose to answer, with the records in it bound by
 * the same rule.
 */
export function presentResult(result: unknown, command: CommandContent, { metadata, permissions }: Actor): unknown {
  return withoutFields(result, hiddenFields(modelsOf(command), metadata, permissions));
}
