import { notFound, throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { authorize, type Actor } from '../../auth/requests/actor.ts';
import type { Model } from '../../metadata/models/model.ts';
import { permissionCode } from '../../metadata/permissions/permission-codes.ts';
import { checkCreate, checkUpdate, requireVersion, type ColumnValues } from '../writing/payload.ts';
import type { LockedRecord, RecordWriter } from '../writing/record-writer.ts';
import { findRelation } from '../query/expansion.ts';
import type { Join } from '../conditions/related-fields.ts';
import type { RecordData } from '../reader/record-reader.ts';
import { visibleRecords } from '../field-selection.ts';

/** Field code -> value, as a payload has them. */
export type RecordInput = Readonly<Record<string, unknown>>;

/** A record to change or delete. */
export interface RecordTarget {
  readonly pid: string;
  /** The version that it has to have; without one, any. */
  readonly expectedVersion?: number | null | undefined;
}

export interface RecordChangeInput extends RecordTarget {
  readonly data: RecordInput;
}

/** Two records, by a relation of the model or by `<model>.<field>` of the other side. */
export interface RelationInput {
  readonly pid: string;
  readonly name: string;
  /** The other record's pid. */
  readonly related: string;
  /** Of the record that has the field, or that joins the two. */
  readonly expectedVersion?: number | null | undefined;
}

/** A record that a relation changed, or that joins two. */
export interface RelatedRecord {
  readonly model: Model;
  readonly record: RecordData;
}

const CHECKS = { rowRules: true };

/**
 * Writes of records in the name of an actor, in one transaction: permission, payload, row rules and relations
 * are checked, and answers leave out what the actor may not read. Each does all or throws.
 */
export class RecordOperations {
  readonly #writer: RecordWriter;
  readonly #actor: Actor;

  constructor(writer: RecordWriter, actor: Actor) {
    this.#writer = writer;
    this.#actor = actor;
  }

  /** @throws FORBIDDEN, VALIDATION_ERROR, CONFLICT (UNIQUE) */
  async create(modelCode: string, data: RecordInput): Promise<RecordData> {
    const [record] = await this.createAll(modelCode, [data]);
    return record as RecordData;
  }

  async createAll(modelCode: string, items: readonly RecordInput[]): Promise<RecordData[]> {
    const model = writableModel(this.#actor, modelCode);
    const values = items.map((data) => this.#checked(checkCreate, model, data));
    return this.#present(model, await this.#writer.createAll(model, values, CHECKS));
  }

  /**
   * @throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CONFLICT (VERSION, STATE, UNIQUE), PRECONDITION_REQUIRED
   */
  async update(modelCode: string, change: RecordChangeInput): Promise<RecordData> {
    const [record] = await this.updateAll(modelCode, [change]);
    return record as RecordData;
  }

  async updateAll(modelCode: string, changes: readonly RecordChangeInput[]): Promise<RecordData[]> {
    const model = writableModel(this.#actor, modelCode);
    const values = changes.map(({ data }) => this.#checked(checkUpdate, model, data));
    const locked = await this.#writer.lockAll(model, changes.map(lockOf(model)));
    const updates = locked.map((before, index) => ({ before, values: values[index] ?? new Map() }));
    return this.#present(model, await this.#writer.updateAll(model, updates, CHECKS));
  }

  /** @throws NOT_FOUND, FORBIDDEN, CONFLICT (VERSION, REFERENCE, LIMIT), PRECONDITION_REQUIRED */
  async deleteAll(modelCode: string, targets: readonly RecordTarget[]): Promise<void> {
    const model = writableModel(this.#actor, modelCode);
    await this.#writer.delete(model, ...(await this.#writer.lockAll(model, targets.map(lockOf(model)))));
  }

  /**
   * Relates two records, by the field of one or by a record that joins them; one that does stays as it is.
   * @throws as `update` and `create`; NOT_FOUND for an unknown relation
   */
  async relate(modelCode: string, relation: RelationInput): Promise<RelatedRecord> {
    const { join, of, target, field, value } = this.#place(modelCode, relation);
    if (!join) return { model: of, record: await this.update(of.code, { ...target, data: { [field]: value } }) };
    const isVersioned = (target.expectedVersion ?? null) !== null;
    throwIfInvalid(isVersioned ? { expectedVersion: 'is not for a create' } : {});
    const data = { [join.from]: relation.pid, [join.to]: relation.related };
    const [known] = await this.#joining(join, relation);
    const record = known ? this.#present(of, [known])[0] : await this.create(of.code, data);
    return { model: of, record: record as RecordData };
  }

  /** Ends a relation, as `relate`. @throws NOT_FOUND where the records are not related */
  async unrelate(modelCode: string, relation: RelationInput): Promise<RelatedRecord> {
    const { join, of, target, field, value } = this.#place(modelCode, relation);
    if (join) return this.#separate(join, relation);
    const model = writableModel(this.#actor, of.code);
    const values = this.#checked(checkUpdate, model, { [field]: null });
    const [before] = await this.#writer.lockAll(model, [lockOf(model)(target)]);
    if (!before || before[field] !== value) throw notFound('The records are not related');
    const [record] = this.#present(model, [await this.#writer.update(model, before, values, CHECKS)]);
    return { model, record: record as RecordData };
  }

  /** Which field of which record has to have which value; of a join, its records have to be there. */
  #place(modelCode: string, { pid, name, related, expectedVersion }: RelationInput) {
    const { model, field, many, join } = findRelation(this.#actor, modelCode, name);
    const near = this.#actor.metadata.model(modelCode);
    if (join) return { join, of: join.model, target: { pid: '', expectedVersion }, field, value: related };
    return many
      ? { join, of: model, target: { pid: related, expectedVersion }, field, value: pid }
      : { join, of: near, target: { pid, expectedVersion }, field, value: related };
  }

  async #joining({ model, from, to }: Join, { pid, related }: RelationInput): Promise<RecordData[]> {
    const values = this.#checked(checkUpdate, writableModel(this.#actor, model.code), { [from]: pid, [to]: related });
    await this.#writer.claim(model, values);
    return this.#writer.lockMatches(model, values);
  }

  async #separate(join: Join, relation: RelationInput): Promise<RelatedRecord> {
    const { model } = join;
    const joining = await this.#joining(join, relation);
    const [record] = this.#present(model, joining);
    if (!record) throw notFound('The records are not related');
    const { expectedVersion } = relation;
    await this.deleteAll(
      model.code,
      joining.map(({ pid }) => ({ pid: String(pid), expectedVersion })),
    );
    return { model, record };
  }

  /** Does `work`, or undoes what it has written and throws its error; the transaction stays usable. */
  attempt<T>(work: () => Promise<T>): Promise<T> {
    return this.#writer.attempt(work);
  }

  #checked(check: typeof checkCreate, model: Model, data: RecordInput): ColumnValues {
    const errors: FieldErrors = {};
    const values = check(model, this.#actor.permissions, data, errors);
    throwIfInvalid(errors);
    return values;
  }

  #present(model: Model, records: readonly RecordData[]): RecordData[] {
    return visibleRecords(model, records, this.#actor.permissions);
  }
}

/** @throws NOT_FOUND, FORBIDDEN */
export function writableModel(actor: Actor, modelCode: string): Model {
  authorize(actor, permissionCode.recordWrite(modelCode));
  return actor.metadata.model(modelCode);
}

/** The record to lock. @throws PRECONDITION_REQUIRED where the model demands a version, and none is given */
export function lockOf(model: Model): (target: RecordTarget) => LockedRecord {
  return ({ pid, expectedVersion = null }) => {
    requireVersion(model, expectedVersion);
    return { pid, expectedVersion };
  };
}
