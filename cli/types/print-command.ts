import type { CommandContent, Operation } from '../../src/features/commands/command-content.ts';
import { checkOfResult } from '../../src/features/commands/command-expression-types.ts';
import { commandSources } from '../../src/features/commands/command-sources.ts';
import { memberOf } from '../../src/foundation/expressions/value-sources.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { typeOfResult } from './expression-result.ts';
import { payloadMembers, readType } from './field-type.ts';
import { objectType, sorted, textLiteral, unionOf } from './source-text.ts';

/** The entry of a command in `Commands`: one type for each operation. */
export function printCommand(command: CommandContent, metadata: Snapshot): string {
  const { modelCode, operations } = command;
  return unionOf(
    operations.toSorted().map((operation) =>
      objectType([
        { name: 'kind', type: textLiteral(operation) },
        { name: 'model', type: textLiteral(modelCode) },
        { name: 'target', type: takesRecord(operation, command) ? `Pid<${textLiteral(modelCode)}>` : 'null' },
        { name: 'payload', type: payloadType(operation, command) },
        { name: 'result', type: resultType(operation, command, metadata) },
      ]),
    ),
  );
}

/** The event of a command. What the command reveals, its event does not. */
export function printEvent(code: string, command: CommandContent, metadata: Snapshot): string {
  const name = textLiteral(code);
  if (!command.reveals) return `CommandEvent<${name}>`;
  const { reveals: _reveals, ...rest } = command;
  const results = command.operations.map((operation) => resultType(operation, rest, metadata));
  return `CommandEvent<${name}, ${unionOf(results)}>`;
}

function takesRecord(operation: Operation, { target = false }: CommandContent): boolean {
  return operation === 'CUSTOM' ? target : operation !== 'CREATE';
}

function payloadType(operation: Operation, { modelCode, payload = [], transition }: CommandContent): string {
  if (operation === 'CUSTOM') return objectType(payloadMembers(payload), 'NoFields');
  if (operation === 'DELETE') return 'NoFields';
  if (operation === 'CREATE') return `Models[${textLiteral(modelCode)}]['create']`;
  const update = `Models[${textLiteral(modelCode)}]['update']`;
  return transition ? `Omit<${update}, ${textLiteral(transition.field)}>` : update;
}

function resultType(operation: Operation, command: CommandContent, metadata: Snapshot): string {
  const { modelCode, steps, result, reveals = [] } = command;
  const recordOf = (code: string): string => recordType(code, reveals);
  if (!steps) return operation === 'DELETE' ? `{ pid: Pid<${textLiteral(modelCode)}> }` : recordOf(modelCode);
  const written = new Map(
    steps.map(({ id, modelCode: code, when }) => [id, unionOf([recordOf(code), ...(when ? ['null'] : [])])]),
  );
  if (!result) return objectType(sorted(written).map(([name, type]) => ({ name, type })));
  const check = checkOfResult(command, metadata);
  const sources = commandSources(command).result ?? {};
  const members = sorted(Object.entries(result)).map(([name, source]) => {
    const optional = (memberOf(sources, name).fields ?? []).some((field) => isMasked(field, metadata, reveals));
    return { name, type: typeOfResult(source, ([first = '', ...path]) => named(first, path), check), optional };
  });
  return objectType(members);

  function named(first: string, path: readonly string[]): string | undefined {
    const [second = '', third] = path;
    const hasRecord = takesRecord(operation, command);
    if (first === 'now' && path.length === 0) return 'DateTime';
    if (first === 'actor' && second === 'pid') return 'UserPid';
    if (first === 'actor' && path.length === 1) return 'string';
    if (first === 'record' && path.length === 0) return hasRecord ? recordType(modelCode, reveals) : 'null';
    if (first === 'record' && path.length === 1 && hasRecord) return fieldType(metadata, modelCode, second);
    if (first === 'payload' && operation === 'CUSTOM') {
      const field = command.payload?.find(({ code }) => code === second);
      return field && path.length === 1 ? readType(field) : undefined;
    }
    const step = first === 'steps' ? steps?.find(({ id }) => id === second) : undefined;
    if (!step || path.length > 2) return undefined;
    return third === undefined ? written.get(second) : fieldType(metadata, step.modelCode, third);
  }
}

/** A record as the answer of a command, in which revealed fields are always there. */
function recordType(modelCode: string, reveals: readonly string[]): string {
  const revealed = reveals.flatMap((field) => {
    const [model = '', code = ''] = field.split('.');
    return model === modelCode ? [textLiteral(code)] : [];
  });
  const name = textLiteral(modelCode);
  return revealed.length > 0 ? `Revealing<${name}, ${unionOf(revealed.sort())}>` : `Models[${name}]['record']`;
}

/** Fields that stand in a result by themselves: a system field by its place in the record. */
function fieldType(metadata: Snapshot, modelCode: string, code: string): string | undefined {
  const field = metadata.models.get(modelCode)?.fields.get(code);
  if (!field) return undefined;
  return field.content ? readType(field.content) : `SystemFields<${textLiteral(modelCode)}>[${textLiteral(code)}]`;
}

/** Whether not every reader may read `<model>.<field>`; of `<model>.*`, all of the model's fields. */
function isMasked(name: string, metadata: Snapshot, reveals: readonly string[]): boolean {
  const [model = '', code = ''] = name.split('.');
  const fields = [...(metadata.models.get(model)?.fields.values() ?? [])];
  return fields.some(
    (field) =>
      (code === '*' || code === field.code) &&
      field.readPermission !== null &&
      !reveals.includes(`${model}.${field.code}`),
  );
}
