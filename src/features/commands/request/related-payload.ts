import { PID_PATTERN } from '../../../foundation/database/pid.ts';
import { forbidden, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text as message } from '../../../foundation/i18n/text.ts';
import {
  either,
  list,
  MAP,
  object,
  openObject,
  partial,
  text,
  withMessage,
  type Static,
  VERSION,
} from '../../../foundation/validation/schema.ts';
import { validate } from '../../../foundation/validation/validate.ts';
import { withoutField } from '../../../platform/metadata/models/model.ts';
import type { Permissions } from '../../../platform/metadata/permissions/permissions.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { checkCreate, checkUpdate, type ColumnValues } from '../../../platform/records/writing/payload.ts';
import type { LockedRecord } from '../../../platform/records/writing/record-writer.ts';
import { lockOf, type RecordInput, type RecordTarget } from '../../../platform/records/operations/record-operations.ts';
import { MAX_RELATED_RECORDS } from '../commands.limits.ts';
import type { CommandContent, Operation } from '../definition/command-content.ts';
import { isTaken } from '../definition/payload-fields.ts';
import { kindsOf, type RelatedKind, type RelationContent } from '../definition/relation-content.ts';

/** Whose payload is read: models as the metadata has them, fields as the permissions allow. */
export interface PayloadWriter {
  readonly metadata: Pick<Snapshot, 'model'>;
  readonly permissions: Permissions;
  readonly userPid: string;
  readonly timeZone: string;
}

/** The pid of a record in a request. */
export const RECORD_PID = withMessage('must be the pid of a record', text({ pattern: PID_PATTERN }));
const EXPECTED = { expectedVersion: VERSION };
const TARGETS = list(either(RECORD_PID, object({ pid: RECORD_PID }, EXPECTED)));
const RELATED = object({
  related: partial({
    create: list(MAP),
    update: list(openObject({ pid: RECORD_PID }, EXPECTED)),
    unlink: TARGETS,
    delete: TARGETS,
  }),
});
type Related = Static<typeof RELATED>['related'];

/** The writes to the records of one relation. */
export interface RelatedWrites {
  readonly create: readonly ColumnValues[];
  readonly update: readonly { readonly target: LockedRecord; readonly values: ColumnValues }[];
  readonly unlink: readonly LockedRecord[];
  readonly delete: readonly LockedRecord[];
}

/**
 * What a payload writes to the record of its command, without related records.
 * @param operation the one that was asked for
 * @param creates whether a record is created by it
 * @param errors collects what is wrong, by the codes of fields
 * @throws FORBIDDEN for a field the caller may not write
 */
export function ownValues(
  command: CommandContent,
  operation: Operation,
  creates: boolean,
  payload: RecordInput,
  { metadata, permissions }: PayloadWriter,
  errors: FieldErrors,
): ColumnValues {
  const model = metadata.model(command.modelCode);
  const related = new Set(command.relations?.map(({ code }) => code));
  const own = Object.entries(payload).filter(([code]) => !related.has(code));
  const isRefused = ([code]: [string, unknown]) =>
    Boolean(model.fields.get(code)?.content) && !isTaken(command, operation, code);
  const check = creates ? checkCreate : checkUpdate;
  const values = check(model, permissions, Object.fromEntries(own.filter((entry) => !isRefused(entry))), errors);
  for (const [code] of own.filter(isRefused)) {
    errors[code] = command.transition?.field === code ? 'is set by the command' : 'is not a field of this command';
  }
  return values;
}

/** The related records of one relation in a payload that has been checked. */
export function relatedIn({ code }: RelationContent, payload: RecordInput) {
  const { create = [], update = [], unlink = [], delete: deleted = [] } = (payload[code] ?? {}) as Related;
  return {
    create,
    update: update.map(({ pid, expectedVersion, ...data }) => ({ pid, expectedVersion, data: data as RecordInput })),
    unlink: unlink.map(targetOf),
    delete: deleted.map(targetOf),
  };
}

/**
 * Checks the related records in a payload, and gives what is to be written, by the codes of the relations.
 * @param errors collects what is wrong, at paths such as `lines.create[2].amount`
 * @throws FORBIDDEN for a field the caller may not write, or a relation they may not read;
 *   PRECONDITION_REQUIRED
 */
export function relatedWrites(
  { relations = [] }: CommandContent,
  operation: Operation,
  payload: RecordInput,
  writer: PayloadWriter,
  errors: FieldErrors,
): ReadonlyMap<string, RelatedWrites> {
  const given = relations.filter((relation) => {
    if (!Object.hasOwn(payload, relation.code)) return false;
    const problems = problemsOfShape(relation, operation, payload);
    Object.assign(errors, problems);
    return Object.keys(problems).length === 0;
  });
  const parts = given.map((relation) => ({ relation, part: relatedIn(relation, payload) }));
  const count = parts.flatMap(({ part }) => Object.values(part).flat()).length;
  if (count > MAX_RELATED_RECORDS) {
    errors.payload = message('holds {count} related records; at most {max}', { count, max: MAX_RELATED_RECORDS });
    return new Map();
  }
  return new Map(parts.map(({ relation, part }) => [relation.code, checked(relation, part, writer, errors)]));
}

function problemsOfShape(relation: RelationContent, operation: Operation, payload: RecordInput): FieldErrors {
  const { code, operations } = relation;
  const problems: FieldErrors = {};
  for (const [path, problem] of Object.entries(validate(RELATED, { related: payload[code] }))) {
    problems[path.replace(/^related/, code).replace(/\.(\d+)(?=\.|$)/g, '[$1]')] = problem;
  }
  if (Object.keys(problems).length > 0) return problems;
  const allowed = kindsOf(relation);
  for (const kind of Object.keys(payload[code] as Related) as RelatedKind[]) {
    if (!allowed.includes(kind)) {
      problems[`${code}.${kind}`] = message('this relation does {operations}', { operations: operations.join(', ') });
    } else if (operation === 'CREATE' && kind !== 'create') problems[`${code}.${kind}`] = 'is not for a create';
  }
  return problems;
}

function checked(
  { code, modelCode, field }: RelationContent,
  part: ReturnType<typeof relatedIn>,
  { metadata, permissions }: PayloadWriter,
  errors: FieldErrors,
): RelatedWrites {
  const model = metadata.model(modelCode);
  const { readPermission = null } = model.fields.get(field) ?? {};
  const isMatched = part.update.length + part.unlink.length + part.delete.length > 0;
  // The outcome would tell whether a record is related.
  if (isMatched && readPermission !== null && !permissions.has(readPermission)) throw forbidden(readPermission);
  const own = withoutField(model, field);
  const valuesAt = (at: string, check: typeof checkCreate, data: RecordInput): ColumnValues => {
    const wrong: FieldErrors = {};
    const values = check(own, permissions, data, wrong);
    if (Object.hasOwn(data, field)) wrong[field] = 'is set by the command';
    for (const [path, problem] of Object.entries(wrong)) errors[`${at}.${path}`] = problem;
    return values;
  };
  const seen = new Set<string>();
  const targetAt = (path: string, target: RecordTarget): LockedRecord => {
    if (seen.has(target.pid)) errors[path] = 'is named twice';
    seen.add(target.pid);
    return lockOf(model)(target);
  };
  return {
    create: part.create.map((data, index) => valuesAt(`${code}.create[${index}]`, checkCreate, data)),
    update: part.update.map(({ data, ...target }, index) => {
      const path = `${code}.update[${index}]`;
      return { target: targetAt(`${path}.pid`, target), values: valuesAt(path, checkUpdate, data) };
    }),
    unlink: part.unlink.map((target, index) => targetAt(`${code}.unlink[${index}]`, target)),
    delete: part.delete.map((target, index) => targetAt(`${code}.delete[${index}]`, target)),
  };
}

function targetOf(given: string | RecordTarget): RecordTarget {
  return typeof given === 'string' ? { pid: given } : given;
}
