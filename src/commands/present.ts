import type { Actor } from '../auth/actor.ts';
import type { CommandContent } from '../metadata/content.ts';
import type { Model } from '../metadata/model.ts';

/**
 * A command's result without the fields that its caller may not read. A plain command's result is a record of its model;
 * a command with steps answers what its author chose to answer, with the records in it bound by the same rule.
 */
export function present(result: unknown, command: CommandContent, actor: Actor): unknown {
  const { metadata, permissions } = actor;
  const codes = new Set([command.modelCode, ...(command.steps ?? []).map(({ modelCode }) => modelCode)]);
  const hidden = (model: Model): string[] =>
    [...model.fields.values()]
      .filter(({ readPermission }) => readPermission !== null && !permissions.has(readPermission))
      .map(({ code }) => code);
  const hiddenFields = new Set([...codes].flatMap((code) => hidden(metadata.model(code))));
  return hiddenFields.size === 0 ? result : without(result, hiddenFields);
}

function without(value: unknown, hidden: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, hidden));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !hidden.has(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, without(item, hidden)]));
}
