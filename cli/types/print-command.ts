import type { EmittedEvent } from '../../src/features/commands/definition/command-events.ts';
import type { CommandContent, Operation } from '../../src/features/commands/definition/command-content.ts';
import { fieldsTaken } from '../../src/features/commands/definition/payload-fields.ts';
import { resultTypeOf, takesRecord } from '../../src/features/commands/definition/command-result-type.ts';
import { kindsOf, type RelationContent } from '../../src/features/commands/definition/relation-content.ts';
import type { ResultMember, ResultType } from '../../src/features/commands/steps/result-type.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { payloadMembers, readType } from './field-type.ts';
import { objectType, sorted, textLiteral, unionOf, type Member } from './source-text.ts';

/** The entry of a command in `Commands`: one type for each operation. */
export function printCommand(command: CommandContent, metadata: Snapshot): string {
  const { modelCode, operations } = command;
  return unionOf(
    operations.toSorted().map((operation) =>
      objectType([
        { name: 'kind', type: textLiteral(operation) },
        { name: 'model', type: textLiteral(modelCode) },
        { name: 'target', type: takesRecord(operation, command) ? `Pid<${textLiteral(modelCode)}>` : 'null' },
        { name: 'payload', type: payloadWithRelated(operation, command) },
        { name: 'result', type: printResult(resultTypeOf(operation, command, metadata)) },
      ]),
    ),
  );
}

/** An event of a command: its own, or that of a step. */
export function printEmitted(event: EmittedEvent, metadata: Snapshot): string {
  const { commandCode, command, stepPayload } = event;
  if (!stepPayload) return printEvent(commandCode, command, metadata);
  return `StepEvent<${textLiteral(commandCode)}, ${unionOf(stepPayload.map(textLiteral).sort())}>`;
}

/** What the command reveals, its event does not. */
function printEvent(code: string, command: CommandContent, metadata: Snapshot): string {
  const name = textLiteral(code);
  if (!command.reveals) return `CommandEvent<${name}>`;
  const { reveals: _reveals, ...rest } = command;
  const results = command.operations.map((operation) => printResult(resultTypeOf(operation, rest, metadata)));
  return `CommandEvent<${name}, ${unionOf(results)}>`;
}

function payloadWithRelated(operation: Operation, command: CommandContent): string {
  const own = payloadType(operation, command);
  const { relations } = command;
  if (!relations || operation === 'DELETE') return own;
  const members = sorted(relations.map((relation) => [relation.code, relation] as const));
  const related = members.map(([name, relation]) => ({ name, type: relatedType(operation, relation), optional: true }));
  return `${own} & ${objectType(related)}`;
}

function relatedType(operation: Operation, relation: RelationContent): string {
  const of = textLiteral(relation.modelCode);
  const fields = (part: 'create' | 'update') =>
    `Omit<Models[${of}][${textLiteral(part)}], ${textLiteral(relation.field)}>`;
  const types = {
    create: fields('create'),
    update: `(RelatedTarget<${of}> & ${fields('update')})`,
    unlink: `(Pid<${of}> | RelatedTarget<${of}>)`,
    delete: `(Pid<${of}> | RelatedTarget<${of}>)`,
  };
  const kinds = kindsOf(relation).filter((kind) => operation !== 'CREATE' || kind === 'create');
  return objectType(kinds.toSorted().map((kind) => ({ name: kind, type: `${types[kind]}[]`, optional: true })));
}

function payloadType(operation: Operation, command: CommandContent): string {
  const { modelCode, payload = [], transition } = command;
  if (operation === 'CUSTOM') return objectType(payloadMembers(payload), 'NoFields');
  if (operation === 'DELETE') return 'NoFields';
  const all = `Models[${textLiteral(modelCode)}][${textLiteral(operation === 'CREATE' ? 'create' : 'update')}]`;
  const taken = fieldsTaken(command, operation);
  if (taken) return taken.length === 0 ? 'NoFields' : `Pick<${all}, ${unionOf(taken.map(textLiteral).sort())}>`;
  return transition ? `Omit<${all}, ${textLiteral(transition.field)}>` : all;
}

function printResult(result: ResultType): string {
  switch (result.kind) {
    case 'record': {
      const name = textLiteral(result.modelCode);
      const revealed = unionOf(result.revealed.map(textLiteral).sort());
      return result.revealed.length > 0 ? `Revealing<${name}, ${revealed}>` : `Models[${name}]['record']`;
    }
    case 'deleted':
      return `{ pid: Pid<${textLiteral(result.modelCode)}> }`;
    case 'field': {
      const { code, content } = result.field;
      // A system field goes by its place in the record.
      return content ? readType(content) : `SystemFields<${textLiteral(result.modelCode)}>[${textLiteral(code)}]`;
    }
    case 'payload':
      return readType(result.field);
    case 'object':
      return objectType(sorted(result.members.map((member) => [member.name, member])).map(toMember));
    case 'list':
      return `${grouped(printResult(result.items))}[]`;
    case 'oneOf':
      return unionOf(result.types.map(printResult));
    case 'allOf':
      return result.types.map(printResult).join(' & ');
    case 'text':
      return 'string';
    case 'time':
      return 'DateTime';
    case 'decimal':
      return 'Decimal';
    case 'user':
      return 'UserPid';
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
      return result.kind;
  }
}

function grouped(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

function toMember([name, { type, needs }]: readonly [string, ResultMember]): Member {
  return { name, type: printResult(type), optional: needs.length > 0 };
}
