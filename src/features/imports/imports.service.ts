import { newPid } from '../../foundation/database/pid.ts';
import type { Database } from '../../foundation/database/pool.ts';
import {
  ApplicationError,
  conflict,
  notFound,
  throwIfInvalid,
  type FieldErrors,
} from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import { currentTraceId, newTraceId } from '../../foundation/logging/trace.ts';
import { validate, validFields } from '../../foundation/validation/validate.ts';
import { authorize, type Actor } from '../../platform/auth/requests/actor.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import { EXECUTION_READ } from '../../platform/metadata/permissions/permission-codes.ts';
import type { FilesService } from '../../platform/files/files.service.ts';
import type { ImportRequest, RecordImports } from '../records/service/ports.ts';
import type { ImportRecord } from './data-import.entity.ts';
import { IMPORT_FORMATS, type ImportFormat } from './formats/import-format.ts';
import { IMPORT_BODY, type ImportBody } from './import-body.ts';
import { checkMapping, chooseCommands, mappingByCode, type ImportCommands } from './import-plan.ts';
import type { ImportStarter } from './import-starter.ts';
import { endImport, findImport, insertImport, listImports, problemsAfter, withdrawImport } from './import-store.ts';
import { MAX_OPEN_OF_TENANT, MAX_OPEN_OF_USER } from './imports.limits.ts';

/** What an import does with a file, as `check` has found it out. */
interface CheckedImport {
  readonly mapping: Readonly<Record<string, string>>;
  readonly commands: ImportCommands;
}

/** Whose imports are listed. */
export const IMPORT_SCOPES = ['own', 'tenant'] as const;

interface ImportFilter {
  readonly scope: (typeof IMPORT_SCOPES)[number];
  /** Null: in any. */
  readonly status: ImportRecord['status'] | null;
}

/** Accepts, lists and cancels imports. */
export class ImportsService implements RecordImports {
  readonly #database: Database;
  readonly #files: FilesService;
  readonly #starter: ImportStarter;

  constructor(database: Database, files: FilesService, starter: ImportStarter) {
    this.#database = database;
    this.#files = files;
    this.#starter = starter;
  }

  async accept(actor: Actor, model: Pick<Model, 'code'>, request: ImportRequest): Promise<ImportRecord> {
    const body = { ...request.body };
    const errors = validate(IMPORT_BODY, body);
    const checked = await this.check(actor, model, request.pageKey, validFields<ImportBody>(body, errors), errors);
    throwIfInvalid(errors);
    return this.create(actor, { ...request, body: body as ImportBody }, checked);
  }

  /**
   * The mapping and the commands of an import.
   * @param errors collects what is wrong with them, and with the file
   * @throws FORBIDDEN, PRECONDITION_REQUIRED
   */
  async check(
    actor: Actor,
    { code }: Pick<Model, 'code'>,
    pageKey: string,
    { filePid, format, delimiter, mode, mapping: given, matchOn: key, commandCode }: Partial<ImportBody>,
    errors: FieldErrors,
  ): Promise<CheckedImport> {
    // A page narrows what is read: rows are written to the model itself.
    const model = actor.metadata.model(code);
    const matchOn = key ?? null;
    const own: FieldErrors = {};
    const kind = format && IMPORT_FORMATS[format];
    if (delimiter !== undefined && format !== 'csv') own.delimiter = 'is for CSV alone';
    const columns = filePid ? await this.#columnsOf(actor, filePid, kind, delimiter ?? null, own) : null;
    let mapping = given ?? {};
    let commands: ImportCommands = {};
    if (mode) {
      commands = chooseCommands(actor, pageKey, mode, commandCode, own);
      if (!given && columns && kind) {
        // Rows that name their own columns may have others than the first.
        const named = kind.isTyped ? [...new Set([...columns, ...model.fields.keys()])] : columns;
        mapping = mappingByCode(named, model, actor, { mode, matchOn }, own);
      }
      if (given ?? columns) {
        checkMapping(model, actor, { mapping, mode, matchOn }, kind?.isTyped ? null : columns, own);
      }
    }
    // What a schema has said of a field stands.
    Object.assign(errors, { ...own, ...errors });
    return { mapping, commands };
  }

  /** The columns of a file; none where something is wrong. @param errors collects what that is */
  async columns(
    actor: Actor,
    { filePid, format, delimiter }: Pick<Partial<ImportBody>, 'filePid' | 'format' | 'delimiter'>,
    errors: FieldErrors,
  ): Promise<readonly string[]> {
    if (delimiter !== undefined && format !== 'csv') errors.delimiter ??= 'is for CSV alone';
    if (filePid === undefined || format === undefined) return [];
    return (await this.#columnsOf(actor, filePid, IMPORT_FORMATS[format], delimiter ?? null, errors)) ?? [];
  }

  /** Accepts a checked import. @throws CONFLICT (LIMIT); SERVICE_UNAVAILABLE with nothing accepted */
  async create(
    actor: Actor,
    { pageKey, language: { locale }, body }: ImportRequest & { readonly body: ImportBody },
    { mapping, commands }: CheckedImport,
  ): Promise<ImportRecord> {
    const traceId = currentTraceId() ?? newTraceId();
    const { filePid, format, delimiter = null, mode, dryRun = false, matchOn = null } = body;
    const pid = newPid();
    const { userId, userPid, username, tenantId, metadata, keyMadeBy = null, keyOwnedBy = null, roles } = actor;
    const by = { userId, userPid, username, tenantId, environment: metadata.environment, keyMadeBy, keyOwnedBy };
    const file = { filePid, format, delimiter, mapping };
    const options = { pageKey, ...file, mode, matchOn, commands, dryRun, locale, traceId };
    const keyRoles = keyOwnedBy === null ? null : [...roles];
    if (!(await insertImport(this.#database, { pid, ...by, keyRoles, ...options }))) throw tooManyOpen();
    const accepted = (await findImport(this.#database, pid)) as ImportRecord;
    await this.#start(accepted);
    return accepted;
  }

  /** One of the actor's imports. @throws NOT_FOUND */
  async find(actor: Actor, pid: string): Promise<ImportRecord> {
    const found = await findImport(this.#database, pid);
    const { tenantId, userPid, metadata } = actor;
    const isOwn = found?.tenantId === tenantId && found.userPid === userPid;
    if (!isOwn || found.environment !== metadata.environment) throw notFound('There is no such import');
    return found;
  }

  /**
   * The actor's imports or those of the tenant, newest first.
   * @param cursor the pid after which the list goes on
   * @throws FORBIDDEN for those of the tenant without `execution:read`
   */
  async list(actor: Actor, { scope, status }: ImportFilter, cursor: string | null, pageSize: number) {
    if (scope === 'tenant') authorize(actor, EXECUTION_READ);
    const { tenantId, metadata } = actor;
    const userPid = scope === 'tenant' ? null : actor.userPid;
    const of = { tenantId, userPid, environment: metadata.environment, status };
    const found = await listImports(this.#database, of, cursor, pageSize + 1);
    const records = found.slice(0, pageSize);
    return { records, nextCursor: found.length > pageSize ? (records.at(-1)?.pid ?? null) : null };
  }

  /** What is wrong with the rows of one of the actor's imports, in their order. @throws NOT_FOUND */
  async problems(actor: Actor, pid: string, cursor: string | null, pageSize: number) {
    await this.find(actor, pid);
    const found = await problemsAfter(this.#database, pid, cursor ?? '0', pageSize + 1);
    const records = found.slice(0, pageSize);
    return { records, nextCursor: found.length > pageSize ? (records.at(-1)?.id ?? null) : null };
  }

  /** Cancels an import after the rows that are being applied. @throws NOT_FOUND, CONFLICT (STATE) */
  async cancel(actor: Actor, pid: string): Promise<ImportRecord> {
    await this.find(actor, pid);
    const cancelled = await endImport(this.#database, pid, { status: 'CANCELLED' });
    if (!cancelled) throw conflict('STATE', 'The import has ended');
    return cancelled;
  }

  /** The columns of a file; null where it has none that can be read, or its format is not known. */
  async #columnsOf(
    actor: Actor,
    filePid: string,
    kind: ImportFormat | undefined,
    delimiter: string | null,
    errors: FieldErrors,
  ) {
    try {
      const file = await this.#files.find(actor, filePid);
      const size = Number(file.size);
      return (await kind?.columns({ size, read: (range) => this.#files.read(file, range) }, delimiter)) ?? null;
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      if (error.code === 'NOT_FOUND') errors.filePid = error.text;
      else if (error.code === 'VALIDATION_ERROR') Object.assign(errors, error.data?.fieldErrors);
      else throw error;
      return null;
    }
  }

  /** Where Temporal is away nothing has been accepted, unless the import has begun after all. */
  async #start(accepted: ImportRecord): Promise<void> {
    try {
      await this.#starter.start(accepted);
    } catch (error) {
      if (await withdrawImport(this.#database, accepted.pid)) throw error;
    }
  }
}

function tooManyOpen(): ApplicationError {
  const values = { user: MAX_OPEN_OF_USER, tenant: MAX_OPEN_OF_TENANT };
  return conflict('LIMIT', text('A user may have {user} imports under way, a tenant {tenant}', values));
}
