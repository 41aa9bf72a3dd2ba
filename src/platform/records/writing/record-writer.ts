import { newPid } from '../../../foundation/database/pid.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { Row, Transaction } from '../../../foundation/database/pool.ts';
import { ApplicationError, notFound, conflict } from '../../../foundation/errors/application-error.ts';
import type { RecordChange } from '../../events/changes/change-log.ts';
import { isSame, mergedChanges } from '../../events/changes/merged-changes.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import { allColumns, liveRecords, withPids, withValues, changedRows, codesOf, writtenRows } from './write-sql.ts';
import { nameFiles, type IdentifiedWrite as FileWrite } from './record-files.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { withDefaultVariables, type ColumnValues } from './payload.ts';
import { planDeletion } from './record-deletion.ts';
import type { RecordData } from '../reader/record-reader.ts';
import { withComputed } from './computed-fields.ts';
import { withGenerated, type NewRow } from './generated-values.ts';
import { withFreshNumbers } from '../sequences/rehearsed-numbers.ts';
import { checkRecords } from './record-checks.ts';
import { checkRelations } from './relation-checks.ts';
import { compileRowChecks, compileRowRules, hiddenFromWriter, type RowCheck } from '../conditions/row-rules.ts';
import { checkTransitions } from './transitions.ts';
import { problemOfWrite, type WrittenValues } from './write-problems.ts';
import { permissionCode } from '../../metadata/permissions/permission-codes.ts';
import { visibleRecord } from '../field-selection.ts';

/** Whether a written record has to be one that its writer may see. */
export interface WriteChecks {
  readonly rowRules: boolean;
}

/** For what a command's author has written down: it is not the caller's choice. */
const UNCHECKED: WriteChecks = { rowRules: false };

/** A record to lock, and the version that it has to have; null for any. */
export interface LockedRecord {
  readonly pid: string;
  readonly expectedVersion: number | null;
}

/** New values of a locked record. */
export interface RecordUpdate {
  readonly before: RecordData;
  readonly values: ColumnValues;
}

/**
 * Writes records inside a transaction that already carries the tenant (`setTenant`), and collects what
 * changed. Results are full records: who presents them leaves out what the caller may not read. What works on
 * many records takes as many statements as for one, and does all or throws.
 */
export class RecordWriter {
  readonly #transaction: Transaction;
  readonly #actor: Actor;
  readonly #changes: RecordChange[] = [];

  constructor(transaction: Transaction, actor: Actor) {
    this.#transaction = transaction;
    this.#actor = actor;
  }

  /** What has changed, one change for each record. */
  get changes(): RecordChange[] {
    return mergedChanges(this.#changes);
  }

  /** Does `work`, or undoes what it has written and throws its error; the transaction stays usable. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const { length } = this.#changes;
    try {
      return await this.#transaction.attempt(work);
    } catch (error) {
      this.#changes.length = length;
      throw error;
    }
  }

  /** @throws CONFLICT (UNIQUE), VALIDATION_ERROR for a relation to nothing, FORBIDDEN (ROW_RULE) */
  async create(model: Model, values: ColumnValues, checks = UNCHECKED): Promise<RecordData> {
    const [record] = await this.createAll(model, [values], checks);
    return record as RecordData;
  }

  /** As `create`, for many. */
  async createAll(model: Model, given: readonly ColumnValues[], checks = UNCHECKED): Promise<RecordData[]> {
    const values = withDefaultVariables(model, given, this.#actor);
    const rows = values.map((each) => ({ recordPid: newPid(), before: null, values: each }));
    await this.#checkNamed(model, rows, checks);
    const create = async () =>
      this.#insert(model, await withGenerated(this.#transaction, this.#actor, model, rows), checks);
    if (model.sequences.length === 0 || this.#transaction.beside !== null) return create();
    // Others take numbers while this transaction, which takes none, tries with the next ones.
    return withFreshNumbers(model, () => this.attempt(create));
  }

  async #insert(model: Model, rows: readonly NewRow[], checks: WriteChecks): Promise<RecordData[]> {
    const { tenantId, userPid } = this.#actor;
    const parameters = new Parameters();
    const [tenant, user] = [`${parameters.add(tenantId)}::bigint`, `${parameters.add(userPid)}::text`];
    const { from, columns } = writtenRows(model, codesOf(rows), rows, parameters);
    const names = ['pid, tenant_id, created_by, updated_by', ...columns.map(({ name }) => name)].join(', ');
    const values = [`r.pid, ${tenant}, ${user}, ${user}`, ...columns.map(({ value }) => value)].join(', ');
    const insert = `insert into ${model.table} as t (${names}) select ${values} from ${from}`;
    const written = await this.#writeRecords(model, insert, parameters, checks, rows);
    const created = rows.map(({ recordPid }) => written.get(recordPid) as RecordData);
    this.#log(
      model,
      'CREATE',
      created.map((after) => ({ before: null, after })),
    );
    return created;
  }

  /**
   * Reads a record and keeps others from writing it until the transaction ends.
   * @throws NOT_FOUND when it is missing, deleted, another tenant's or hidden; CONFLICT (VERSION)
   */
  async lock(model: Model, pid: string, expectedVersion: number | null = null): Promise<RecordData> {
    const [record] = await this.lockAll(model, [{ pid, expectedVersion }]);
    return record as RecordData;
  }

  /** As `lock`, for many. One without the values of `match` is missing. */
  async lockAll(model: Model, wanted: readonly LockedRecord[], match: ColumnValues = new Map()): Promise<RecordData[]> {
    return (await this.tryLockAll(model, wanted, match)).map((record) => {
      if (record instanceof ApplicationError) throw record;
      return record;
    });
  }

  /** As `lockAll`: what it would throw stands in the place of the record. */
  async tryLockAll(
    model: Model,
    wanted: readonly LockedRecord[],
    match: ColumnValues = new Map(),
  ): Promise<(RecordData | ApplicationError)[]> {
    const parameters = new Parameters();
    const pids = wanted.map(({ pid }) => pid);
    const where = [...this.#targets(pids, parameters), ...withValues(match, parameters)];
    const found = await this.#lockWhere(model, where, parameters);
    const records = new Map(found.map((record) => [record.pid, record]));
    return wanted.map(({ pid, expectedVersion }) => {
      const record = records.get(pid);
      return record
        ? (staleness(this.#actor, model, record, expectedVersion) ?? record)
        : notFound('There is no such record');
    });
  }

  /**
   * As `lock`, for the record that has these values in its unique fields; null where none has, or a hidden
   * one.
   * @throws CONFLICT (VERSION), also where a version is expected of no record
   */
  async lockMatch(model: Model, match: ColumnValues, expectedVersion: number | null): Promise<RecordData | null> {
    const [record = null] = await this.lockMatches(model, match);
    const stale = staleness(this.#actor, model, record, expectedVersion);
    if (stale) throw stale;
    return record;
  }

  /** As `lockMatch`, for all that have these values, unique or not. */
  lockMatches(model: Model, match: ColumnValues): Promise<RecordData[]> {
    const parameters = new Parameters();
    const where = [...liveRecords(this.#actor.tenantId, parameters), ...withValues(match, parameters)];
    return this.#lockWhere(model, where, parameters);
  }

  /** Waits until no other transaction has claimed a record with these values, whether it is there or not. */
  async claim(model: Model, match: ColumnValues): Promise<void> {
    const key = JSON.stringify([model.table, this.#actor.tenantId, ...match]);
    await this.#transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
  }

  /**
   * Changes the named fields of a locked record. @throws CONFLICT (UNIQUE, STATE), VALIDATION_ERROR,
   * FORBIDDEN (ROW_RULE)
   */
  async update(model: Model, before: RecordData, values: ColumnValues, checks = UNCHECKED): Promise<RecordData> {
    const [record] = await this.updateAll(model, [{ before, values }], checks);
    return record as RecordData;
  }

  /** As `update`, for different records, whichever fields each of them changes. */
  async updateAll(model: Model, updates: readonly RecordUpdate[], checks = UNCHECKED): Promise<RecordData[]> {
    for (const { before, values } of updates) checkTransitions(model, this.#actor, before, values);
    const writes = updates.map(({ before, values }) => ({
      recordPid: String(before.pid),
      before,
      values: withComputed(model, before, values),
    }));
    await this.#checkNamed(model, writes, checks);
    const parameters = new Parameters();
    const { from, columns } = changedRows(model, writes, parameters);
    const pids = writes.map(({ recordPid }) => recordPid);
    const stamp = this.#stamp(model, pids, parameters);
    const set = [...columns.map(({ name, value }) => `${name} = ${value}`), ...stamp].join(', ');
    const where = [...this.#targets(pids, parameters), 't.pid = r.pid'].join(' and ');
    const update = `update ${model.table} t set ${set} from ${from} where ${where}`;
    const after = await this.#writeRecords(model, update, parameters, checks, writes);
    const updated = updates.map(({ before }) => ({ before, after: after.get(String(before.pid)) as RecordData }));
    this.#log(model, 'UPDATE', updated);
    return updated.map(({ after: record }) => record);
  }

  /**
   * Deletes locked records softly: they stay in the table and are found by nothing. What refers to them goes
   * with them, loses the relation, or is in the way, as the relations' `onDelete` says.
   * @throws CONFLICT (REFERENCE, LIMIT)
   */
  async delete(model: Model, ...before: readonly RecordData[]): Promise<void> {
    const { deleted, cleared } = await planDeletion(this.#transaction, this.#actor, model, before);
    for (const [of, records] of deleted) {
      await this.#writeAll(of, [...records.keys()], ['deleted_at = now()'], true);
      this.#log(
        of,
        'DELETE',
        Array.from(records.values(), (record) => ({ before: record, after: null })),
      );
    }
    for (const [of, records] of cleared) {
      for (const [fields, group] of Map.groupBy(records, (each) => each.fields.join(' '))) {
        const changed = new Map(group.map(({ record }) => [record.pid, record]));
        const nulls = fields.split(' ').map((code) => `${quoteIdentifier(code)} = null`);
        const written = await this.#writeAll(of, [...changed.keys()], nulls);
        checkRecords(of, written);
        this.#log(
          of,
          'UPDATE',
          written.map((after) => ({ before: changed.get(after.pid) ?? null, after })),
        );
      }
    }
  }

  /**
   * Brings a deleted record back.
   * @throws NOT_FOUND when it is not deleted, another tenant's or hidden; CONFLICT (UNIQUE); VALIDATION_ERROR
   *   for a relation to what is not there any more
   */
  async restore(model: Model, pid: string): Promise<RecordData> {
    const parameters = new Parameters();
    const deleted = [
      `t.tenant_id = ${parameters.add(this.#actor.tenantId)}::bigint`,
      `t.pid = ${parameters.add(pid)}`,
      't.deleted_at is not null',
    ];
    const where = [...deleted, ...compileRowRules(model, this.#actor, parameters)].join(' and ');
    const set = ['deleted_at = null', ...this.#stamp(model, [pid], parameters)].join(', ');
    const update = `update ${model.table} t set ${set} where ${where} returning ${allColumns(model)}`;
    const [record] = await this.#write(model, update, parameters);
    if (!record) throw notFound('There is no such record in the trash');
    checkRecords(model, [record]);
    const relations = [...model.fields.values()].filter(({ content }) => content?.target !== undefined);
    const values = new Map(relations.map(({ code }) => [code, record[code] ?? null]));
    await checkRelations(this.#transaction, this.#actor, model, [{ before: record, values }], { withRowRules: false });
    this.#log(model, 'RESTORE', [{ before: null, after: record }]);
    return record;
  }

  /** Writes the same to several locked records. */
  #writeAll(
    model: Model,
    pids: readonly unknown[],
    assignments: readonly string[],
    isDeletion = false,
  ): Promise<RecordData[]> {
    const parameters = new Parameters();
    const where = this.#targets(pids, parameters).join(' and ');
    const set = [...assignments, ...this.#stamp(model, pids, parameters, isDeletion)].join(', ');
    const update = `update ${model.table} t set ${set} where ${where} returning ${allColumns(model)}`;
    return this.#write(model, update, parameters);
  }

  /** Checks the records, users and files that records are about to name. */
  async #checkNamed(model: Model, writes: readonly FileWrite[], { rowRules }: WriteChecks): Promise<void> {
    await checkRelations(this.#transaction, this.#actor, model, writes, { withRowRules: rowRules });
    await nameFiles(this.#transaction, this.#actor, model, writes);
  }

  /** A record gets one version, however often it is written: each change of its history is one. */
  #stamp(model: Model, pids: readonly unknown[], parameters: Parameters, isDeletion = false): string[] {
    const targets = new Set(pids);
    const own = this.#changes.filter(({ modelCode, recordPid }) => modelCode === model.code && targets.has(recordPid));
    const isNew = new Set(own.flatMap(({ before, recordPid }) => (before === null ? recordPid : [])));
    const written = own.flatMap(({ recordPid }) => (isDeletion && isNew.has(recordPid) ? [] : recordPid));
    const version =
      written.length === 0
        ? 't.version + 1'
        : `case when t.pid = any(${parameters.add(written)}) then t.version else t.version + 1 end`;
    return ['updated_at = now()', `updated_by = ${parameters.add(this.#actor.userPid)}`, `version = ${version}`];
  }

  #targets(pids: readonly unknown[], parameters: Parameters): string[] {
    return [...liveRecords(this.#actor.tenantId, parameters), withPids(pids, parameters)];
  }

  /** In the order of their ids, so that two writers wait for each other instead of blocking each other. */
  #lockWhere(model: Model, where: readonly string[], parameters: Parameters): Promise<RecordData[]> {
    const all = [...where, ...compileRowRules(model, this.#actor, parameters)].join(' and ');
    const select = `select ${allColumns(model)} from ${model.table} t where ${all} order by t.id for update`;
    return this.#write(model, select, parameters);
  }

  /**
   * Runs a write and gives the records as they are now, by pid. The conditions of row rules are judged in the
   * same statement.
   */
  async #writeRecords(
    model: Model,
    statement: string,
    parameters: Parameters,
    { rowRules }: WriteChecks,
    written: readonly WrittenValues[],
  ): Promise<Map<string, RecordData>> {
    const checks = rowRules ? compileRowChecks(model, this.#actor, parameters) : [];
    // No field has a number for its code.
    const columns = [allColumns(model), ...checks.map(({ sql }, index) => `(${sql}) is true as "${index}"`)];
    const rows = await this.#write(model, `${statement} returning ${columns.join(', ')}`, parameters, written);
    checkRecords(model, rows);
    const broken = checks.filter((_check: RowCheck, index) => rows.some((row) => row[index] !== true));
    if (broken.length > 0) throw hiddenFromWriter(model, this.#actor, broken);
    const codes = [...model.fields.keys()];
    return new Map(rows.map((row) => [String(row.pid), checks.length > 0 ? partOf(row, codes) : row]));
  }

  async #write(
    model: Model,
    text: string,
    parameters: Parameters,
    written: readonly WrittenValues[] = [],
  ): Promise<Row[]> {
    try {
      return await this.#transaction.queryRecords(text, parameters.values);
    } catch (error) {
      throw problemOfWrite(error, model, written);
    }
  }

  #log(model: Model, action: RecordChange['action'], written: readonly RecordStates[]): void {
    for (const change of changesOf(model, action, written)) this.#changes.push(change);
  }
}

/** CONFLICT (VERSION) unless the record has the expected version; else null. */
function staleness(
  { permissions }: Actor,
  model: Model,
  record: RecordData | null,
  expectedVersion: number | null,
): ApplicationError | null {
  if (expectedVersion === null || record?.version === expectedVersion) return null;
  const isReadable = record && permissions.has(permissionCode.recordRead(model.code));
  const current = isReadable && visibleRecord(model, record, permissions);
  const data = { ...(record && { version: record.version }), ...(current && { record: current }) };
  return conflict('VERSION', 'The record has changed meanwhile', data);
}

/** A record before and after a write; null where it was not there, or is not any more. */
export interface RecordStates {
  readonly before: RecordData | null;
  readonly after: RecordData | null;
}

/** What the change log says of written records: their own fields that have changed. */
function changesOf(model: Model, action: RecordChange['action'], written: readonly RecordStates[]): RecordChange[] {
  const own = [...model.fields.values()].flatMap(({ code, content }) => (content ? [code] : []));
  return written.map(({ before, after }) => {
    const changed = before && after ? own.filter((code) => !isSame(before[code], after[code])) : own;
    return {
      modelCode: model.code,
      recordPid: String((after ?? before)?.pid),
      action,
      before: before && partOf(before, changed),
      after: after && partOf(after, changed),
      unchanged: after && withoutOf(after, changed),
    };
  });
}

/** The other fields of a record. */
function withoutOf(record: RecordData, codes: readonly string[]): RecordData {
  const left = new Set(codes);
  return Object.fromEntries(Object.entries(record).filter(([code]) => !left.has(code)));
}

/** Some fields of a record. */
function partOf(record: RecordData, codes: readonly string[]): RecordData {
  const part: Record<string, unknown> = {};
  for (const code of codes) part[code] = record[code] ?? null;
  return part;
}
