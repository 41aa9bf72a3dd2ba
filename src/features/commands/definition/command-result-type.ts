import type { ParseResult } from '@marcbachmann/cel-js';
import { evaluationScope } from '../../../foundation/expressions/evaluation/evaluation-scope.ts';
import { parsedBy, type TypeCheck } from '../../../foundation/expressions/type-check.ts';
import { memberOf } from '../../../foundation/expressions/value-origin.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { CommandContent, Operation } from './command-content.ts';
import { checkOfResult } from './command-expression-types.ts';
import { commandOrigins } from './command-origins.ts';
import { kindsOf } from './relation-content.ts';
import { NULL, objectType, orNull, recordType, UNKNOWN, type ResultType } from '../steps/result-type.ts';
import type { ResultContext } from '../steps/command-step.ts';
import { kindOf } from '../steps/step-kinds.ts';

type CelNode = ParseResult['ast'];

const scope = evaluationScope();

/** Whether an operation works on an existing record. */
export function takesRecord(operation: Operation, { target = false }: CommandContent): boolean {
  return operation === 'CUSTOM' ? target : operation !== 'CREATE';
}

/** What an operation of a command answers; `unknown` where only the data can tell. */
export function resultTypeOf(operation: Operation, command: CommandContent, metadata: Snapshot): ResultType {
  const { modelCode, steps, result, reveals = [] } = command;
  if (!steps) return operation === 'DELETE' ? { kind: 'deleted', modelCode } : withRelated(command, metadata);
  const given = stepTypes(operation, command, metadata);
  if (!result) {
    const answered = steps.filter((step) => kindOf(step).isAnswered);
    return objectType(
      Object.fromEntries(answered.map(({ id, when }) => [id, when ? orNull(given.of(id)) : given.of(id)])),
    );
  }
  const origin = commandOrigins(command).result ?? {};
  const members = Object.entries(result).map(([name, source]) => {
    const { fields = [] } = memberOf(origin, name);
    const needs = fields.flatMap((field) => permissionsToRead(field, metadata, reveals));
    return { name, type: given.typeOf(source), needs };
  });
  return { kind: 'object', members };
}

/** The record of a command, with the related records that it has written. */
function withRelated({ modelCode, relations = [], reveals = [] }: CommandContent, metadata: Snapshot): ResultType {
  const record = recordType(modelCode, reveals);
  if (relations.length === 0) return record;
  const related = relations.map((relation) => {
    const records = recordType(relation.modelCode, reveals);
    const pids = fieldIn(metadata)(relation.modelCode, 'pid');
    const items = { create: records, update: records, unlink: pids, delete: pids };
    const lists = kindsOf(relation).map((kind) => [kind, { kind: 'list', items: items[kind] }] as const);
    return [relation.code, objectType(Object.fromEntries(lists))] as const;
  });
  return { kind: 'allOf', types: [record, objectType(Object.fromEntries(related))] };
}

/** The types of what the steps give, and of expressions over it. */
function stepTypes(operation: Operation, command: CommandContent, metadata: Snapshot) {
  const check = checkOfResult(command, metadata);
  const { steps = [], reveals = [] } = command;
  const known = new Map<string, ResultType>();
  const of = (id: string): ResultType => {
    const step = steps.find((each) => each.id === id);
    if (!step) return UNKNOWN;
    const type = known.get(id) ?? kindOf(step).resultType(step, { reveals, typeOf, fieldOf: fieldIn(metadata) });
    known.set(id, type);
    return type;
  };
  const named = namedTypes(operation, command, metadata, of);
  const typeOf = (source: string): ResultType => typeOfExpression(source, named, check);
  return { of, typeOf };
}

/** The permissions to read `<model>.<field>`; for `<model>.*`, those of all of the model's fields. */
function permissionsToRead(name: string, metadata: Snapshot, reveals: readonly string[]): string[] {
  const [model = '', code = ''] = name.split('.');
  return [...(metadata.models.get(model)?.fields.values() ?? [])].flatMap(({ code: own, readPermission }) => {
    const isMeant = code === '*' || code === own;
    return isMeant && readPermission !== null && !reveals.includes(`${model}.${own}`) ? [readPermission] : [];
  });
}

/** The type of a value that an expression names, such as `steps.lead`; undefined where it is not known. */
type NamedTypes = (path: readonly string[]) => ResultType | undefined;

function namedTypes(
  operation: Operation,
  command: CommandContent,
  metadata: Snapshot,
  stepType: (id: string) => ResultType,
): NamedTypes {
  const { modelCode, steps = [], payload = [], reveals = [] } = command;
  const hasRecord = takesRecord(operation, command);
  const fieldOf = fieldIn(metadata);
  return ([first = '', ...path]) => {
    const [second = '', ...rest] = path;
    if (first === 'now' && path.length === 0) return { kind: 'time' };
    if (first === 'actor' && path.length === 1) return { kind: second === 'pid' ? 'user' : 'text' };
    if (first === 'record' && path.length === 0) return hasRecord ? recordType(modelCode, reveals) : NULL;
    if (first === 'record' && path.length === 1 && hasRecord) return fieldOf(modelCode, second);
    if (first === 'payload' && operation === 'CUSTOM') {
      const field = payload.find(({ code }) => code === second);
      return field && path.length === 1 ? { kind: 'payload', field } : undefined;
    }
    const step = first === 'steps' ? steps.find(({ id }) => id === second) : undefined;
    if (!step) return undefined;
    const type = stepType(second);
    if (rest.length > 0) return rest.reduce((part, name) => memberType(part, name, fieldOf), type);
    return step.when ? orNull(type) : type;
  };
}

/** Of a value that may be null, that of the other case. */
function memberType(type: ResultType, name: string, fieldOf: ResultContext['fieldOf']): ResultType {
  if (type.kind === 'record') return fieldOf(type.modelCode, name);
  if (type.kind === 'object') return type.members.find((member) => member.name === name)?.type ?? UNKNOWN;
  const some = type.kind === 'oneOf' ? type.types.filter(({ kind }) => kind !== 'null') : [];
  const [only] = some;
  return only && some.length === 1 ? memberType(only, name, fieldOf) : UNKNOWN;
}

function fieldIn(metadata: Snapshot): ResultContext['fieldOf'] {
  return (modelCode, code) => {
    const field = metadata.models.get(modelCode)?.fields.get(code);
    return field ? { kind: 'field', modelCode, field } : UNKNOWN;
  };
}

function typeOfExpression(source: string, named: NamedTypes, check: TypeCheck): ResultType {
  const parsed = parsedBy(scope, source);
  if (!parsed) return UNKNOWN;
  const typeOfNode = (node: CelNode): ResultType => {
    if (node.op === '?:') {
      const [, then, otherwise] = node.args;
      return { kind: 'oneOf', types: [then, otherwise].map(typeOfNode) };
    }
    if (node.op === 'value' && node.args === null) return NULL;
    const path = pathOf(node);
    if (path) return named(path) ?? UNKNOWN;
    const type = check.typeOf(node === parsed.ast ? source : source.slice(node.start, node.end));
    return type === null ? UNKNOWN : { kind: type };
  };
  return typeOfNode(parsed.ast);
}

/** `steps.lead.pid` as its names. */
function pathOf({ op, args }: CelNode): string[] | null {
  if (op === 'id') return [args];
  if (op !== '.') return null;
  const [of, name] = args;
  const path = pathOf(of);
  return path && [...path, name];
}
