import { ApplicationError, forbidden, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import { authorize, type Actor } from '../../platform/auth/requests/actor.ts';
import { isWritable, type Field, type Model } from '../../platform/metadata/models/model.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { Operation } from '../commands/definition/command-content.ts';
import { COMMAND } from '../commands/definition/command-type.ts';
import { commandsOfPage } from '../commands/intake/record-commands.ts';
import { PAGE_SCHEMA } from '../../platform/records/pages/page-type.ts';
import { missingToWrite } from '../../platform/records/writing/payload.ts';
import { isReadable } from '../../platform/records/field-selection.ts';
import { ERROR_COLUMN } from './imports.limits.ts';

export const IMPORT_MODES = ['create', 'update', 'upsert'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

type Written = Extract<Operation, 'CREATE' | 'UPDATE'>;
const OPERATIONS: Readonly<Record<ImportMode, readonly Written[]>> = {
  create: ['CREATE'],
  update: ['UPDATE'],
  upsert: ['CREATE', 'UPDATE'],
};

/** The commands that an import executes, by what they do. */
export type ImportCommands = Readonly<Partial<Record<Written, string>>>;

/** What is asked of an import. */
export interface ImportRequest {
  readonly mapping: Readonly<Record<string, string>>;
  readonly mode: ImportMode;
  readonly matchOn: string | null;
}

/** A column of the file and the field that it is for. */
export interface MappedField {
  readonly column: string;
  readonly field: Field;
}

/** The column of an export with what a field refers to, such as `account.name`. */
const NAME_COLUMN = /^\w+(\.\w+)+$/;

/** An import in view of the present configuration and the present rights of its user. */
export interface ImportPlan {
  /** With all fields, for writing. */
  readonly model: Model;
  /** Narrowed by the page, for finding records. */
  readonly visible: Model;
  readonly fields: readonly MappedField[];
  readonly mode: ImportMode;
  /** The field by which records are found; null where all are created. */
  readonly matchOn: Field | null;
  readonly commands: ImportCommands;
}

/**
 * System fields that a column may be for: the one finds the record, the other says which version is changed.
 */
const KEY = 'pid';
export const VERSION = 'version';

/** Whether records are found by a field that the program makes: only where none is created. */
function isMatched({ code, content }: Field, mode: ImportMode, matchOn: string | null): boolean {
  return content !== null && mode === 'update' && code === matchOn;
}

/**
 * The columns that have the code of a field, with that field; the system's own, those that the user may not
 * write and names of what a field refers to are left out, as an export has them, too. So is what was
 * wrong with a row.
 */
export function mappingByCode(
  columns: readonly string[],
  target: Model,
  { permissions }: Actor,
  { mode, matchOn }: Omit<ImportRequest, 'mapping'>,
  errors: FieldErrors,
): Record<string, string> {
  const { fields, code: model } = target;
  const taken: Record<string, string> = {};
  for (const column of columns) {
    const field = fields.get(column);
    if (!field && NAME_COLUMN.test(column) && fields.has(column.slice(0, column.indexOf('.')))) continue;
    if (column === ERROR_COLUMN) continue;
    if (!field)
      errors.mapping ??= text('is needed: {column} is not a field of {model}', { column: column.slice(0, 100), model });
    else if (isWritable(field) || isMatched(field, mode, matchOn)) {
      if (missingToWrite(target, field, permissions, mode === 'create') === null) taken[column] = column;
    } else if (column === matchOn && column === KEY) taken[column] = column;
    else if (column === VERSION && mode !== 'create') taken[column] = column;
  }
  return taken;
}

/**
 * The fields that the columns are for.
 * @param columns those of the file; null where they are not known
 * @param errors collects what is wrong, at `mapping.<column>` and `matchOn`
 * @throws FORBIDDEN for a field that the user may not write, or match by; PRECONDITION_REQUIRED
 */
export function checkMapping(
  model: Model,
  { permissions }: Actor,
  { mapping, mode, matchOn }: ImportRequest,
  columns: readonly string[] | null,
  errors: FieldErrors,
): Pick<ImportPlan, 'fields' | 'matchOn'> {
  const fields: MappedField[] = [];
  for (const [column, code] of Object.entries(mapping)) {
    const path = `mapping.${column.slice(0, 100)}`;
    const field = model.fields.get(code);
    const missing = field ? missingToWrite(model, field, permissions, mode === 'create') : null;
    const isUsable = (code === KEY && matchOn === KEY) || (code === VERSION && mode !== 'create');
    const isSet = field !== undefined && !isWritable(field) && !isMatched(field, mode, matchOn);
    if (columns && !columns.includes(column)) errors[path] = 'is not a column of the file';
    else if (!field) errors[path] = text('is not a field of {model}', { model: model.code });
    else if (isSet && !isUsable) errors[path] = 'is set by the platform';
    else if (fields.some((one) => one.field === field)) errors[path] = 'is named twice';
    else if (missing !== null) throw forbidden(missing);
    else fields.push({ column, field });
  }
  if (Object.keys(mapping).length === 0) errors.mapping ??= 'is required';
  const key = matchOn === null ? null : (fields.find(({ field }) => field.code === matchOn)?.field ?? null);
  if (mode === 'create') {
    if (matchOn !== null) errors.matchOn = 'is not for this mode';
  } else if (matchOn === null) errors.matchOn = 'is required';
  else if (key === null) errors.matchOn = 'is not in the mapping';
  else if (key.content ? !key.content.unique : key.code !== KEY) errors.matchOn = 'is not a unique field';
  else if (!isReadable(key, permissions)) throw forbidden(key.readPermission ?? '');
  const isVersioned = fields.some(({ field }) => field.code === VERSION);
  if (model.requiresVersion && mode !== 'create' && !isVersioned) throw new ApplicationError('PRECONDITION_REQUIRED');
  return { fields, matchOn: key };
}

/**
 * The commands of an import: the one that is named for what it does, for the rest the only one that does it
 * and that the user may execute; where there are several, the only one that the page offers.
 * @throws FORBIDDEN
 */
export function chooseCommands(
  actor: Actor,
  pageKey: string,
  mode: ImportMode,
  named: string | undefined,
  errors: FieldErrors,
): ImportCommands {
  const { metadata } = actor;
  const page = metadata.get(PAGE_SCHEMA, pageKey);
  const { modelCode: model } = page;
  const codesFor = (operation: Written) =>
    [...metadata.all(COMMAND)].flatMap(([code, command]) =>
      command.modelCode === model && command.operations.includes(operation) ? [code] : [],
    );
  const chosen: Partial<Record<Written, string>> = {};
  if (named !== undefined) {
    if (metadata.find(COMMAND, named)?.modelCode !== model) {
      errors.commandCode = text('is not a command of {model}', { model });
      return chosen;
    }
    authorize(actor, permissionCode.commandExecute(named));
    if (!OPERATIONS[mode].some((operation) => codesFor(operation).includes(named))) {
      errors.commandCode = text('does not {operations}', { operations: OPERATIONS[mode].join(', ') });
    }
  }
  for (const operation of OPERATIONS[mode]) {
    const codes = codesFor(operation);
    const permitted = codes.filter((code) => actor.permissions.has(permissionCode.commandExecute(code)));
    const offered = permitted.filter((code) => commandsOfPage(metadata, page).includes(code));
    const [first, second] = permitted.length > 1 && offered.length > 0 ? offered : permitted;
    if (named !== undefined && codes.includes(named)) chosen[operation] = named;
    else if (second !== undefined) {
      const values = { operation, codes: permitted.slice(0, 10).join(', ') };
      errors.commandCode ??= text('is required: {codes} do {operation}', values);
    } else if (first !== undefined) chosen[operation] = first;
    else if (codes[0] !== undefined) throw forbidden(permissionCode.commandExecute(codes[0]));
    else errors.mode = text('no command of {model} does {operation}', { model, operation });
  }
  return chosen;
}

/** @throws FORBIDDEN, NOT_FOUND: the user may not execute one of them any more, or it is gone */
export function requireCommands(actor: Actor, commands: ImportCommands): void {
  for (const code of Object.values(commands)) {
    actor.metadata.get(COMMAND, code);
    authorize(actor, permissionCode.commandExecute(code));
  }
}
