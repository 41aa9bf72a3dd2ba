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
import { validate } from '../../foundation/validation/validate.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { FilesService } from '../files/files.service.ts';
import type { ImportRequest, RecordImports } from '../records/service/record-imports.ts';
import type { ImportRecord } from './data-import.entity.ts';
import { IMPORT_FORMATS } from './formats/import-format.ts';
import { IMPORT_BODY, type ImportBody } from './import-body.ts';
import { checkMapping, chooseCommands, mappingByCode } from './import-plan.ts';
import type { ImportStarter } from './import-starter.ts';
import { endImport, findImport, insertImport, listImports, withdrawImport } from './import-store.ts';
import { MAX_OPEN_OF_TENANT, MAX_OPEN_OF_USER } from './imports.limits.ts';

/** A request whose body was checked already. */
interface CheckedRequest extends ImportRequest {
  readonly body: ImportBody;
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

  async accept(actor: Actor, model: Pick<Model, 'code'>, asked: ImportRequest): Promise<ImportRecord> {
    const body = { ...asked.body };
    throwIfInvalid(validate(IMPORT_BODY, body));
    return this.create(actor, model, { ...asked, body: body as ImportBody });
  }

  /** Accepts an import once its file, its mapping and its commands are good. @throws as `accept` */
  async create(
    actor: Actor,
    { code }: Pick<Model, 'code'>,
    { pageKey, language: { locale }, body }: CheckedRequest,
  ): Promise<ImportRecord> {
    // A page narrows what is read: rows are written to the model itself.
    const model = actor.metadata.model(code);
    const traceId = currentTraceId() ?? newTraceId();
    const { filePid, format, mode, dryRun = false, matchOn = null } = body;
    const errors: FieldErrors = {};
    const commands = chooseCommands(actor, pageKey, mode, body.commandCode, errors);
    const file = await this.#files.find(actor, filePid).catch(asFieldError);
    const source = {
      size: Number(file.size),
      read: (range: { start: number; end: number }) => this.#files.read(file, range),
    };
    const kind = IMPORT_FORMATS[format];
    const columns = await kind.columns(source);
    // Rows that name their own columns may have others than the first.
    const named = kind.isTyped ? [...new Set([...columns, ...model.fields.keys()])] : columns;
    const mapping = body.mapping ?? mappingByCode(named, model, actor, { mode, matchOn }, errors);
    checkMapping(model, actor, { mapping, mode, matchOn }, kind.isTyped ? null : columns, errors);
    throwIfInvalid(errors);
    const pid = newPid();
    const { userId, userPid, username, tenantId, metadata, keyMadeBy = null, keyOwnedBy = null, roles } = actor;
    const by = { userId, userPid, username, tenantId, environment: metadata.environment, keyMadeBy, keyOwnedBy };
    const asked = { pageKey, filePid, format, mapping, mode, matchOn, commands, dryRun, locale, traceId };
    const keyRoles = keyOwnedBy === null ? null : [...roles];
    if (!(await insertImport(this.#database, { pid, ...by, keyRoles, ...asked }))) throw tooManyOpen();
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

  /** The actor's imports, newest first. @param cursor the pid after which the list goes on */
  async list(actor: Actor, cursor: string | null, pageSize: number) {
    const { tenantId, userPid, metadata } = actor;
    const of = { tenantId, userPid, environment: metadata.environment };
    const found = await listImports(this.#database, of, cursor, pageSize + 1);
    const records = found.slice(0, pageSize);
    return { records, nextCursor: found.length > pageSize ? (records.at(-1)?.pid ?? null) : null };
  }

  /** Cancels an import after the rows that are being applied. @throws NOT_FOUND, CONFLICT (STATE) */
  async cancel(actor: Actor, pid: string): Promise<ImportRecord> {
    await this.find(actor, pid);
    const cancelled = await endImport(this.#database, pid, { status: 'CANCELLED' });
    if (!cancelled) throw conflict('STATE', 'The import has ended');
    return cancelled;
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

function asFieldError(error: unknown): never {
  if (error instanceof ApplicationError && error.code === 'NOT_FOUND') {
    throw new ApplicationError('VALIDATION_ERROR', { data: { fieldErrors: { filePid: error.text } }, cause: error });
  }
  throw error;
}

function tooManyOpen(): ApplicationError {
  const values = { user: MAX_OPEN_OF_USER, tenant: MAX_OPEN_OF_TENANT };
  return conflict('LIMIT', text('A user may have {user} imports under way, a tenant {tenant}', values));
}
