import type { Row, Sql, Transaction } from '../../../foundation/database/pool.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import { ALL_PERMISSIONS } from '../../metadata/permissions/permissions.ts';
import type { FieldType } from '../../metadata/field-types/field-types.ts';
import { measureOutput } from '../aggregates/aggregate-statement.ts';
import type { Measure } from '../aggregates/aggregate-schema.ts';
import { compileFilters, ownFields, type FilterScope } from '../conditions/filter-condition.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { visibleRows } from '../query/record-select.ts';
import { orderBy, sortKeys, type SortField } from '../conditions/sort-order.ts';
import type { RecordData } from './record-reader.ts';

/** Which records a command asks for. The values of the conditions are data. */
export interface Lookup {
  readonly conditions: readonly object[];
  readonly sortFields: readonly SortField[];
  readonly limit: number;
  /** The codes of the fields to read; null for all. */
  readonly fields: readonly string[] | null;
}

/** A figure over the records. */
export interface Figure {
  readonly name: string;
  readonly type: FieldType;
  readonly value: unknown;
}

/**
 * Reads records as commands do, in a transaction that has the tenant: those that the actor may see, with
 * fields that the actor may not read. Who answers has to leave these out.
 */
export class RecordLookup {
  readonly #transaction: Transaction;
  readonly #actor: Actor;

  constructor(transaction: Transaction, actor: Actor) {
    this.#transaction = transaction;
    this.#actor = actor;
  }

  /** @param errors what is wrong with a condition, by its field; then nothing is read */
  async find(model: Model, lookup: Lookup, errors: FieldErrors): Promise<RecordData[]> {
    const { scope, parameters, where } = this.#scopeOf(model, lookup.conditions, errors);
    const codes = lookup.fields ?? [...model.fields.keys()];
    const columns = codes.map((code) => `t.${quoteIdentifier(code)}`).join(', ');
    const order = orderBy(sortKeys(lookup.sortFields, scope));
    const text = `select ${columns} from ${model.table} t where ${where} order by ${order} limit ${lookup.limit}`;
    return this.#read({ text, values: parameters.values }, errors);
  }

  /** @param errors as for `find`, and what is wrong with a measure */
  async measure(
    model: Model,
    conditions: readonly object[],
    measures: readonly Measure[],
    errors: FieldErrors,
  ): Promise<Figure[]> {
    const { scope, parameters, where } = this.#scopeOf(model, conditions, errors);
    const outputs = measures.map((measure, index) => measureOutput(measure, `measures.${index}`, scope, errors));
    const columns = outputs.map(({ sql }, index) => `${sql} as "o${index}"`).join(', ');
    const text = `select ${columns} from ${model.table} t where ${where}`;
    const [row = {}] = await this.#read({ text, values: parameters.values }, errors);
    return outputs.map(({ name, type }, index) => ({ name, type, value: row[`o${index}`] ?? null }));
  }

  #scopeOf(model: Model, conditions: readonly object[], errors: FieldErrors) {
    const scope: FilterScope = ownFields(model, ALL_PERMISSIONS);
    const parameters = new Parameters();
    const where = [
      ...visibleRows(model, this.#actor, parameters),
      ...compileFilters(conditions, scope, parameters, errors),
    ];
    return { scope, parameters, where: where.join(' and ') };
  }

  async #read({ text, values }: Sql, errors: FieldErrors): Promise<Row[]> {
    return Object.keys(errors).length > 0 ? [] : this.#transaction.queryRecords(text, values);
  }
}
