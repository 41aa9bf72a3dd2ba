import type { Transaction } from '../../../foundation/database/pool.ts';
import { conflict } from '../../../foundation/errors/application-error.ts';
import { localizedName, text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import { allColumns, liveRecords } from './write-sql.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { MAX_CASCADE_DEPTH, MAX_COUNTED_REFERENCES, MAX_TOUCHED_RECORDS } from '../records.limits.ts';
import type { RecordData } from '../reader/record-reader.ts';
import type { FieldOptions } from '../../metadata/field-types/field-options.ts';
import { MODEL } from '../../metadata/models/model-type.ts';
import type { Configuration } from '../../metadata/resources/resource-type.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';

/** A relation field of a model, seen from the model that it points to. */
export interface Referrer {
  readonly model: Model;
  readonly fieldCode: string;
  readonly onDelete: NonNullable<FieldOptions['onDelete']>;
}

/** Model code -> the relation fields that point to its records. */
function referrersOf(configuration: Configuration): ReadonlyMap<string, readonly Referrer[]> {
  const referrers = [...configuration.all(MODEL).values()].flatMap((model) =>
    [...model.fields.values()].flatMap(({ code, content }) =>
      content?.target === undefined
        ? []
        : [{ target: content.target, model, fieldCode: code, onDelete: content.onDelete ?? 'restrict' }],
    ),
  );
  return Map.groupBy(referrers, ({ target }) => target);
}

/** These models, and those whose records a deletion among them changes. */
export function modelsReachedFrom(codes: Iterable<string>, metadata: Snapshot): ReadonlySet<string> {
  const reached = new Set(codes);
  const referrers = metadata.derive(referrersOf);
  // A set that grows while it is walked is walked to its new end.
  for (const code of reached) {
    for (const { model, onDelete } of referrers.get(code) ?? []) if (onDelete !== 'restrict') reached.add(model.code);
  }
  return reached;
}

type Pids = readonly string[];
type Records = Map<string, RecordData>;

/** What the deletion of records does, these included. All of it is locked. */
export interface Deletion {
  /** The named records come first. */
  readonly deleted: ReadonlyMap<Model, Records>;
  /** The records that stay and lose the values of these fields. */
  readonly cleared: ReadonlyMap<Model, readonly { readonly record: RecordData; readonly fields: readonly string[] }[]>;
}

/**
 * Finds what else the deletion of locked records deletes or changes, as `onDelete` of the relations to it
 * says, and locks that. Row rules do not limit it: the author of the model has decided.
 * @throws CONFLICT: REFERENCE with the number of records that refer to what would go, LIMIT
 */
export async function planDeletion(
  transaction: Transaction,
  actor: Actor,
  model: Model,
  records: readonly RecordData[],
): Promise<Deletion> {
  const search = new ReferrerSearch(transaction, actor);
  const named = new Map(records.map((record) => [pidOf(record), record]));
  const deleted = new Map<Model, Records>([[model, named]]);
  const losing = new Map<Model, Records>();
  let level: ReadonlyMap<Model, Pids> = new Map([[model, [...named.keys()]]]);
  for (let depth = 1; level.size > 0; depth += 1) {
    if (depth > MAX_CASCADE_DEPTH) throw tooDeep();
    const next = new Map<Model, Pids>();
    for (const [referring, found] of await search.lock(level, 'cascade')) {
      const known = recordsOf(deleted, referring);
      const fresh = found.filter(({ pid }) => !known.has(String(pid)));
      for (const each of fresh) known.set(String(each.pid), each);
      if (fresh.length > 0) next.set(referring, fresh.map(pidOf));
    }
    for (const [referring, found] of await search.lock(level, 'setNull')) {
      const known = recordsOf(losing, referring);
      for (const each of found) known.set(String(each.pid), each);
    }
    if (countOf(deleted) + countOf(losing) > MAX_TOUCHED_RECORDS) throw tooMany();
    level = next;
  }
  await search.refuseReferences(deleted);
  return { deleted, cleared: clearedOf(losing, deleted) };
}

/** A record that loses its relation, but goes itself, is only deleted. */
function clearedOf(losing: ReadonlyMap<Model, Records>, deleted: Deletion['deleted']): Deletion['cleared'] {
  const gone = new Map([...deleted].map(([{ code }, records]) => [code, records]));
  const cleared = new Map<Model, { record: RecordData; fields: string[] }[]>();
  for (const [model, records] of losing) {
    const kept = [...records.values()].filter(({ pid }) => gone.get(model.code)?.has(String(pid)) !== true);
    const fieldsOf = (record: RecordData): string[] =>
      [...model.fields.values()].flatMap(({ code, content }) => {
        const isGone = gone.get(content?.target ?? '')?.has(String(record[code])) ?? false;
        return isGone && content?.onDelete === 'setNull' ? [code] : [];
      });
    cleared.set(
      model,
      kept.map((record) => ({ record, fields: fieldsOf(record) })),
    );
  }
  return cleared;
}

/** Finds the records that refer to others, with one statement for each referring model. */
class ReferrerSearch {
  readonly #transaction: Transaction;
  readonly #actor: Actor;
  readonly #referrers: ReadonlyMap<string, readonly Referrer[]>;

  constructor(transaction: Transaction, actor: Actor) {
    this.#transaction = transaction;
    this.#actor = actor;
    this.#referrers = actor.metadata.derive(referrersOf);
  }

  /** In the order of their ids, so that two deletions wait for each other instead of blocking each other. */
  async lock(targets: ReadonlyMap<Model, Pids>, rule: Referrer['onDelete']): Promise<[Model, RecordData[]][]> {
    const found: [Model, RecordData[]][] = [];
    for (const [model, fields] of this.#referringTo(targets, rule)) {
      const parameters = new Parameters();
      const records = await this.#transaction.queryRecords(
        `select ${allColumns(model)} from ${model.table} t where ${this.#where(fields, parameters)}
         order by t.id limit ${MAX_TOUCHED_RECORDS + 1} for update`,
        parameters.values,
      );
      found.push([model, records]);
    }
    return found;
  }

  /** @throws CONFLICT (REFERENCE) for records that stay and must not lose what goes */
  async refuseReferences(deleted: Deletion['deleted']): Promise<void> {
    const targets = new Map([...deleted].map(([model, records]) => [model, [...records.keys()]]));
    const references = [];
    for (const [model, fields] of this.#referringTo(targets, 'restrict')) {
      const parameters = new Parameters();
      const where = this.#where(fields, parameters);
      const gone = parameters.add(targets.get(model) ?? []);
      const [row] = await this.#transaction.query<{ count: number }>(
        `select count(*)::int as count from (select 1 from ${model.table} t
           where ${where} and t.pid <> all(${gone}::text[]) limit ${MAX_COUNTED_REFERENCES + 1}) found`,
        parameters.values,
      );
      if (row && row.count > 0) references.push(reference(model, row.count));
    }
    if (references.length === 0) return;
    const [{ count, name, countRelation }] = references as [ReturnType<typeof reference>];
    const message =
      countRelation === 'eq'
        ? text('{label}: {count} refer to it', { count, label: name })
        : text('{label}: more than {count} refer to it', { count, label: name });
    const named = references.map((one) => ({ ...one, name: localizedName(one.name) }));
    throw conflict('REFERENCE', message, { references: named });
  }

  #referringTo(targets: ReadonlyMap<Model, Pids>, rule: Referrer['onDelete']) {
    const fields = [...targets].flatMap(([{ code }, pids]) =>
      (this.#referrers.get(code) ?? [])
        .filter(({ onDelete }) => onDelete === rule)
        .map(({ model, fieldCode }) => ({ model, fieldCode, pids })),
    );
    return Map.groupBy(fields, ({ model }) => model);
  }

  #where(fields: readonly { readonly fieldCode: string; readonly pids: Pids }[], parameters: Parameters): string {
    const live = liveRecords(this.#actor.tenantId, parameters);
    const refers = fields.map(
      ({ fieldCode, pids }) => `t.${quoteIdentifier(fieldCode)} = any(${parameters.add(pids)}::text[])`,
    );
    return [...live, `(${refers.join(' or ')})`].join(' and ');
  }
}

function reference({ code: modelCode, name }: Model, found: number) {
  const isMore = found > MAX_COUNTED_REFERENCES;
  const count = isMore ? MAX_COUNTED_REFERENCES : found;
  return { modelCode, name, count, countRelation: isMore ? ('gte' as const) : ('eq' as const) };
}

function recordsOf(all: Map<Model, Records>, model: Model): Records {
  const known = all.get(model) ?? new Map<string, RecordData>();
  all.set(model, known);
  return known;
}

function pidOf({ pid }: RecordData): string {
  return String(pid);
}

function countOf(all: ReadonlyMap<Model, Records>): number {
  return [...all.values()].reduce((sum, { size }) => sum + size, 0);
}

function tooMany(): Error {
  return conflict('LIMIT', text('Deleting it would change more than {max} records', { max: MAX_TOUCHED_RECORDS }));
}

function tooDeep(): Error {
  return conflict('LIMIT', text('Deleting it would go on over more than {max} levels', { max: MAX_CASCADE_DEPTH }));
}
