import type { Actor } from '../auth/actor.ts';
import type { CommandContent } from '../metadata/content.ts';
import { hiddenFields, modelsOf, withoutFields } from '../metadata/hidden-fields.ts';

/**
 * A command's result without the fields that its caller may not read. A plain command's result is a record of its model;
 * a command with steps answers what its author chose to answer, with the records in it bound by the same rule.
 */
export function present(result: unknown, command: CommandContent, { metadata, permissions }: Actor): unknown {
  return withoutFields(result, hiddenFields(modelsOf(command), metadata, permissions));
}
