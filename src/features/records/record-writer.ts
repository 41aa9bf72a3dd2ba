import { newPid } from '../../foundation/database/pid.ts';
import { activeMembersAmong } from '../../platform/auth/accounts/member.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Row, Transaction } from '../../foundation/database/pool.ts';
import { conflict, notFound, validationError, type FieldErrors } from '../../foundation/errors/application-error.ts';
import type { RecordChange } from '../../platform/events/change-log.ts';
import { uniqueIndexName } from '../../platform/metadata/models/table-indexes.ts';
import { quoteIdentifier, type Model } from '../../platform/metadata/models/model.ts';
import { allColumns, liveRecords } from './live-records.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { isReadable } from './query/field-selection.ts';
import { Parameters } from './query/parameters.ts';
import { withDefaultVariables, type ColumnValues } from './payload.ts';
import { planDeletion } from './record-deletion.ts';
import type { RecordData } from './records.service.ts';
import { compileRowChecks, compileRowRules, hiddenFromWriter, type RowCheck } from './query/row-rules.ts';
import { checkTransitions } from './transitions.ts';
import { text } from '../../foundation/i18n/text.ts';

/** Whether a written record has to be one that its writer may see. */
export interface WriteChecks {
  readonly rowRules: boolean;
}

/** For what a command's author has written down: it is not the caller's choice. */
const UNCHECKED: WriteChecks = { rowRules: false };

/**
 * Writes records inside a transaction that already carries the tenant (`setTenant`), and collects what
 * changed. Results are full records: who presents them leaves out what the caller may not read.
 */
export class RecordWriter {
  readonly #transaction: Transaction;
  readonly #actor: Actor;
  readonly changes: RecordChange[] = [];

  constructor(transaction: Transaction, actor: Actor) {
    this.#transaction = transaction;
    this.#actor = actor;
  }

  /** @throws CONFLICT (UNIQUE), VALIDATION_ERROR for a relation to nothing, FORBIDDEN (ROW_RULE) */
  async create(model: Model, checked: ColumnValues, checks = UNCHECKED): Promise<RecordData> {
    const values = withDefaultVariables(model, checked, this.#actor);
    await this.#checkRelations(model, values, null, checks);
    const parameters = new Parameters();
    const given = [...values].filter(([, value]) => value !== null);
    const names = ['pid', 'tenant_id', 'created_by', 'updated_by', ...given.map(([code]) => code)];
    const { tenantId, userPid } = this.#actor;
    const slots = [newPid(), tenantId, userPid, userPid, ...given.map(([, value]) => value)].map((value) =>
      parameters.add(value),
    );
    const insert = `insert into ${model.table} as t (${names.map(quoteIdentifier).join(', ')}) values (${slots.join(', ')})`;
    const record = await this.#writeRecord(model, insert, parameters, checks);
    this.#log(model, 'CREATE', null, record, record);
    return record;
  }

  /**
   * Reads a record and keeps others from writing it until the transaction ends.
   * @throws NOT_FOUND when it is missing, deleted, another tenant's or hidden; CONFLICT (VERSION)
   */
  async lock(model: Model, pid: string, expectedVersion: number | null = null): Promise<RecordData> {
    const parameters = new Parameters();
    const where = [...this.#target(pid, parameters), ...compileRowRules(model, this.#actor, parameters)];
    const [record] = await this.#transaction.queryRecords(
      `select ${allColumns(model)} from ${model.table} t where ${where.join(' and ')} for update`,
      parameters.values,
    );
    if (!record) throw notFound('There is no such record');
    if (expectedVersion !== null && record.version !== expectedVersion) {
      const current = shownTo(this.#actor, model, record);
      const data = { version: record.version, ...(current && { record: current }) };
      throw conflict('VERSION', 'The record has changed meanwhile', data);
    }
    return record;
  }

  /**
   * Changes the named fields of a locked record. @throws CONFLICT (UNIQUE, STATE), VALIDATION_ERROR, FORBIDDEN
   * (ROW_RULE)
   */
  async update(model: Model, before: RecordData, values: ColumnValues, checks = UNCHECKED): Promise<RecordData> {
    checkTransitions(model, this.#actor, before, values);
    await this.#checkRelations(model, values, before, checks);
    const parameters = new Parameters();
    const assignments = [...values].map(([code, value]) => `${quoteIdentifier(code)} = ${parameters.add(value)}`);
    assignments.push(...this.#stamp(parameters));
    const where = this.#target(before.pid, parameters).join(' and ');
    const update = `update ${model.table} t set ${assignments.join(', ')} where ${where}`;
    const after = await this.#writeRecord(model, update, parameters, checks);
    this.#log(model, 'UPDATE', before, after, after);
    return after;
  }

  /**
   * Deletes a locked record softly: it stays in the table and is found by nothing. What refers to it goes with
   * it, loses the relation, or is in the way, as the relations' `onDelete` says.
   * @throws CONFLICT (REFERENCE, LIMIT)
   */
  async delete(model: Model, before: RecordData): Promise<void> {
    const { deleted, cleared } = await planDeletion(this.#transaction, this.#actor, model, before);
    for (const [of, records] of deleted) {
      await this.#writeAll(of, [...records.keys()], ['deleted_at = now()']);
      for (const record of records.values()) this.#log(of, 'DELETE', record, null, record);
    }
    for (const [of, records] of cleared) {
      for (const [fields, group] of Map.groupBy(records, (each) => each.fields.join(' '))) {
        const changed = new Map(group.map(({ record }) => [record.pid, record]));
        const nulls = fields.split(' ').map((code) => `${quoteIdentifier(code)} = null`);
        for (const after of await this.#writeAll(of, [...changed.keys()], nulls)) {
          this.#log(of, 'UPDATE', changed.get(after.pid) ?? null, after, after);
        }
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
    const set = ['deleted_at = null', ...this.#stamp(parameters)].join(', ');
    const update = `update ${model.table} t set ${set} where ${where} returning ${allColumns(model)}`;
    const [record] = await this.#write(model, update, parameters);
    if (!record) throw notFound('There is no such record in the trash');
    const relations = [...model.fields.values()].filter(({ content }) => content?.target !== undefined);
    const values = new Map(relations.map(({ code }) => [code, record[code] ?? null]));
    await this.#checkRelations(model, values, record, UNCHECKED);
    this.#log(model, 'RESTORE', null, record, record);
    return record;
  }

  /** Writes the same to several locked records. */
  #writeAll(model: Model, pids: readonly unknown[], assignments: readonly string[]): Promise<RecordData[]> {
    const parameters = new Parameters();
    const where = [...liveRecords(this.#actor.tenantId, parameters), `t.pid = any(${parameters.add(pids)}::text[])`];
    const set = [...assignments, ...this.#stamp(parameters)].join(', ');
    const update = `update ${model.table} t set ${set} where ${where.join(' and ')} returning ${allColumns(model)}`;
    return this.#write(model, update, parameters);
  }

  #stamp(parameters: Parameters): string[] {
    return ['updated_at = now()', `updated_by = ${parameters.add(this.#actor.userPid)}`, 'version = t.version + 1'];
  }

  #target(pid: unknown, parameters: Parameters): string[] {
    return [...liveRecords(this.#actor.tenantId, parameters), `t.pid = ${parameters.add(pid)}`];
  }

  /**
   * A relation must point to a live record of the same tenant, which stays until the transaction ends. Where
   * row rules are checked, one that they hide is none: the answer must not tell that it exists. A user must be
   * a member of the tenant, or who writes.
   */
  async #checkRelations(
    model: Model,
    values: ColumnValues,
    before: RecordData | null,
    { rowRules }: WriteChecks,
  ): Promise<void> {
    const errors: FieldErrors = {};
    const users = [...values].filter(([code, pid]) => {
      const isUser = model.fields.get(code)?.type === 'user' && pid !== null;
      return isUser && pid !== before?.[code] && pid !== this.#actor.userPid;
    });
    if (users.length > 0) {
      const pids = users.map(([, pid]) => String(pid));
      const members = await activeMembersAmong(this.#transaction, this.#actor.tenantId, pids);
      for (const [code, pid] of users) if (!members.has(String(pid))) errors[code] = 'is not a member of the tenant';
    }
    for (const [code, pid] of values) {
      const target = model.fields.get(code)?.content?.target;
      if (target === undefined || pid === null) continue;
      const parameters = new Parameters();
      const where = this.#target(pid, parameters);
      const related = this.#actor.metadata.model(target);
      // A relation that stays as it is names nothing new.
      if (rowRules && before?.[code] !== pid) where.push(...compileRowRules(related, this.#actor, parameters));
      const found = await this.#transaction.queryRecords(
        `select t.id from ${related.table} t where ${where.join(' and ')} for share`,
        parameters.values,
      );
      if (found.length === 0) errors[code] = text('is not a record of {model}', { model: target });
    }
    if (Object.keys(errors).length > 0) throw validationError(errors);
  }

  /**
   * Runs a write and gives the record as it is now. The conditions of row rules are judged in the same
   * statement.
   */
  async #writeRecord(
    model: Model,
    statement: string,
    parameters: Parameters,
    { rowRules }: WriteChecks,
  ): Promise<RecordData> {
    const checks = rowRules ? compileRowChecks(model, this.#actor, parameters) : [];
    // No field has a number for its code.
    const columns = [allColumns(model), ...checks.map(({ sql }, index) => `(${sql}) is true as "${index}"`)];
    const [row] = await this.#write(model, `${statement} returning ${columns.join(', ')}`, parameters);
    const broken = checks.filter((_check: RowCheck, index) => row?.[index] !== true);
    if (broken.length > 0) throw hiddenFromWriter(model, this.#actor, broken);
    return Object.fromEntries([...model.fields.keys()].map((code) => [code, row?.[code]]));
  }

  async #write(model: Model, text: string, parameters: Parameters): Promise<Row[]> {
    try {
      return await this.#transaction.queryRecords(text, parameters.values);
    } catch (error) {
      throw explain(error, model);
    }
  }

  #log(
    model: Model,
    action: RecordChange['action'],
    before: RecordData | null,
    after: RecordData | null,
    of: RecordData,
  ): void {
    const changed = [...model.fields.values()]
      .filter(({ content }) => content !== null)
      .map(({ code }) => code)
      .filter((code) => !before || !after || JSON.stringify(before[code]) !== JSON.stringify(after[code]));
    const pick = (record: RecordData | null): RecordData | null =>
      record && Object.fromEntries(changed.map((code) => [code, record[code] ?? null]));
    this.changes.push({
      modelCode: model.code,
      recordPid: String(of.pid),
      action,
      before: pick(before),
      after: pick(after),
    });
  }
}

/** The record as its reader sees it; null for who may not read records of the model. */
function shownTo({ permissions }: Actor, model: Model, record: RecordData): RecordData | null {
  if (!permissions.has(permissionCode.recordRead(model.code))) return null;
  const readable = [...model.fields.values()].filter((field) => isReadable(field, permissions));
  return Object.fromEntries(readable.map(({ code }) => [code, record[code]]));
}

/** Row-level security sees the tenant as a setting that ends with the transaction. */
export function setTenant(transaction: Transaction, tenantId: string): Promise<Row[]> {
  return transaction.query(`select set_config('keelson.tenant_id', $1, true)`, [tenantId]);
}

/** What Postgres refuses because of the data becomes an answer that names the field. */
function explain(error: unknown, model: Model): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === '23505') {
    const field = [...model.fields.keys()].find((fieldCode) => uniqueIndexName(model.code, fieldCode) === constraint);
    const data = field ? { fieldErrors: { [field]: 'is taken' } } : {};
    return conflict('UNIQUE', 'Another record has this value', data);
  }
  // 22: a value that the column cannot hold; 54000: one too long for its index.
  if (code?.startsWith('22') || code === '54000')
    return validationError({ payload: 'holds a value that cannot be stored' });
  return error;
}
