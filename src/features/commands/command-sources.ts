import { sourcesOf } from '../../foundation/expressions/expression-sources.ts';
import {
  fieldsIn,
  fromFields,
  recordOf,
  withMembers,
  type Sources,
} from '../../foundation/expressions/value-sources.ts';
import type { EventSources, ShownValue } from '../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from './command-content.ts';

/** Stands for a member of the payload until it is known which fields it is written to. */
const PAYLOAD = '$payload.';

const known = new WeakMap<CommandContent, EventSources>();

/**
 * The fields that a command's payload and result tell of. A payload field of a CUSTOM command tells of the
 * fields that the steps write it to.
 */
export function commandSources(command: CommandContent): EventSources {
  let found = known.get(command);
  if (!found) {
    found = computeSources(command);
    known.set(command, found);
  }
  return found;
}

/** The values that a command's steps write, and those of its answer that it does not mean to reveal. */
export function valuesShown(command: CommandContent): ShownValue[] {
  const revealed = new Set(command.reveals);
  const { members = {} } = (command.result && commandSources(command).result) ?? {};
  const answered = Object.entries(members).map(([key, sources]) => {
    // The fields of a whole record are left out one by one.
    const from = fieldsIn(sources).filter((field) => !field.endsWith('.*') && !revealed.has(field));
    return { path: `content.result.${key}`, field: null, from };
  });
  return [...valuesWritten(command), ...answered];
}

/** The values that a command's steps write. */
function valuesWritten(command: CommandContent): (ShownValue & { readonly field: string })[] {
  const variables = { ...variablesOf(command), payload: payloadOf(command, (code) => [`${PAYLOAD}${code}`]) };
  return (command.steps ?? []).flatMap(({ modelCode, values = {} }, index) =>
    Object.entries(values).map(([code, source]) => ({
      path: `content.steps.${index}.values.${code}`,
      field: `${modelCode}.${code}`,
      from: fieldsIn(sourcesOf(source, variables)),
    })),
  );
}

function computeSources(command: CommandContent): EventSources {
  const { modelCode, steps, result } = command;
  if (!steps) return { payload: recordOf(modelCode), result: recordOf(modelCode) };
  const written = new Map<string, string[]>();
  for (const { from, field } of valuesWritten(command)) {
    for (const source of from) written.set(source, [...(written.get(source) ?? []), field]);
  }
  const payload = payloadOf(command, (code) => written.get(`${PAYLOAD}${code}`) ?? []);
  const variables = { ...variablesOf(command), payload };
  if (!result) return { payload, result: variables.steps };
  const members = Object.entries(result).map(([key, source]) => [key, sourcesOf(source, variables)] as const);
  return { payload, result: withMembers(members) };
}

function variablesOf({ modelCode, steps = [] }: CommandContent) {
  return { record: recordOf(modelCode), steps: withMembers(steps.map((step) => [step.id, recordOf(step.modelCode)])) };
}

function payloadOf(
  { modelCode, operations, payload = [] }: CommandContent,
  fieldsOf: (code: string) => readonly string[],
): Sources {
  if (!operations.includes('CUSTOM')) return recordOf(modelCode);
  return withMembers(payload.map(({ code }) => [code, fromFields(fieldsOf(code))]));
}
