import type { Database, Row, Sql } from '../../../foundation/database/pool.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import { EXPANDED_RECORDS, MAX_EXPANDED_RECORDS } from '../records.limits.ts';
import type { Expansion } from './expansion.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { joinedTo } from '../conditions/related-fields.ts';
import { BEHIND_WALL, columns, TOTAL, visibleRows, WALL } from './record-select.ts';

const PARENT = '__parent';

/** A record whose relations are read, and where they are answered. */
interface Owner {
  /** Null where the relation before leads to no record, or to none that the caller may see. */
  readonly record: Row | null;
  readonly expanded: Record<string, unknown>;
  /** Path from the record that has `expanded`. */
  readonly prefix: string;
}

/**
 * Puts related records under `expanded` of each record: one statement per relation, however many records
 * there are.
 */
export async function expandRecords(
  database: Database,
  actor: Actor,
  records: readonly Row[],
  expansions: readonly Expansion[],
): Promise<void> {
  if (expansions.length > 0) await expandAll(database, actor, records.map(toOwner), expansions);
}

async function expandAll(
  database: Database,
  actor: Actor,
  owners: readonly Owner[],
  expansions: readonly Expansion[],
): Promise<void> {
  for (const expansion of expansions) {
    const found = await expand(database, actor, owners, expansion);
    await expandAll(database, actor, found, expansion.next);
  }
}

function expand(database: Database, actor: Actor, owners: readonly Owner[], expansion: Expansion): Promise<Owner[]> {
  const { model } = expansion;
  if (!model) return expandPerson(database, actor, owners, expansion);
  return (expansion.many ? expandMany : expandOne)(database, actor, owners, expansion, model);
}

/** The users that fields name, as far as they are or were members of the tenant. */
async function expandPerson(
  database: Database,
  { tenantId }: Actor,
  owners: readonly Owner[],
  expansion: Expansion,
): Promise<Owner[]> {
  const pids = pidsIn(owners, expansion);
  const rows = await readRows(database, pids, (parameters, slot) => {
    const tenant = parameters.add(tenantId);
    return `select p.pid, p.username from platform.people_of_tenant(${tenant}::bigint, ${slot(pids)}::text[]) p`;
  });
  return withRelated(owners, expansion, rows);
}

async function expandOne(
  database: Database,
  actor: Actor,
  owners: readonly Owner[],
  expansion: Expansion,
  model: Model,
): Promise<Owner[]> {
  const pids = pidsIn(owners, expansion);
  const rows = await readRows(database, pids, (parameters, slot) => {
    const where = [...visibleRows(model, actor, parameters), BEHIND_WALL, `t.pid = any(${slot(pids)}::text[])`];
    const select = `select ${columns(model, actor.permissions)} from ${model.table} t where ${where.join(' and ')}`;
    return `${WALL} select r.* from wall cross join lateral (${select} limit ${MAX_EXPANDED_RECORDS}) r`;
  });
  return withRelated(owners, expansion, rows);
}

/** The pids in the field of a relation to one. */
function pidsIn(owners: readonly Owner[], { field }: Expansion): ReadonlySet<unknown> {
  return new Set(owners.flatMap(({ record }) => record?.[field] ?? []));
}

function withRelated(owners: readonly Owner[], { step, field, isRequested }: Expansion, rows: readonly Row[]): Owner[] {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  return owners.map(({ record, expanded, prefix }) => {
    const related = byPid.get(record?.[field]) ?? null;
    if (isRequested) expanded[`${prefix}${step}`] = related;
    return { record: related, expanded, prefix: `${prefix}${step}.` };
  });
}

async function expandMany(
  database: Database,
  actor: Actor,
  owners: readonly Owner[],
  { step, field, join, isRequested, next }: Expansion,
  model: Model,
): Promise<Owner[]> {
  const pids = new Set(owners.flatMap(({ record }) => record?.pid ?? []));
  const rows = await readRows(database, pids, (parameters, slot) => {
    const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
    if (join) where.push(joinedTo(join, actor, parameters, 'p.pid', BEHIND_WALL));
    else where.push(`t.${quoteIdentifier(field)} = p.pid`);
    const from = `from ${model.table} t where ${where.join(' and ')}`;
    const parents = `select u.pid as pid from unnest(${slot(pids)}::text[]) as u(pid) where ${BEHIND_WALL}`;
    const some = `select ${columns(model, actor.permissions)} ${from} order by t.created_at desc, t.id desc limit ${EXPANDED_RECORDS}`;
    return `${WALL} select p.pid as "${PARENT}", c."${TOTAL}", r.* from wall cross join lateral (${parents}) p cross join lateral (select count(*)::int as "${TOTAL}" ${from}) c left join lateral (${some}) r on true`;
  });
  const lists = Map.groupBy(rows, (row) => row[PARENT]);
  return owners.flatMap(({ record, expanded, prefix }) => {
    const own = lists.get(record?.pid) ?? [];
    const records = own.filter(({ pid }) => pid !== null).map(toRecord);
    const list = { records, total: own[0]?.[TOTAL] ?? 0 };
    if (isRequested) expanded[`${prefix}${step}`] = record && list;
    return next.length === 0 ? [] : records.map(toOwner);
  });
}

/** The rows of a statement about these pids; none, and no statement, where there are no pids. */
async function readRows(
  database: Database,
  pids: ReadonlySet<unknown>,
  statement: (parameters: Parameters, slot: (values: ReadonlySet<unknown>) => string) => string,
): Promise<Row[]> {
  if (pids.size === 0) return [];
  const parameters = new Parameters();
  const text = statement(parameters, (values) => parameters.add([...values]));
  const { values }: Sql = { text, values: parameters.values };
  return database.queryRecords(text, values);
}

function toRecord({ [PARENT]: _parent, [TOTAL]: _total, ...record }: Row): Row {
  return record;
}

/** Begins a record's `expanded`. */
function toOwner(record: Row): Owner {
  const expanded: Record<string, unknown> = {};
  record.expanded = expanded;
  return { record, expanded, prefix: '' };
}
