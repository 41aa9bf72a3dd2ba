import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { ColumnValues } from '../../../platform/records/writing/payload.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import type { LockedRecord, RecordWriter } from '../../../platform/records/writing/record-writer.ts';
import { writeAtPaths } from '../../../platform/records/operations/record-batch.ts';
import type { CommandContent } from '../definition/command-content.ts';
import { kindsOf, type RelatedKind, type RelationContent } from '../definition/relation-content.ts';
import type { RelatedWrites } from '../request/related-payload.ts';

const CHECKS = { rowRules: true };
const NO_WRITES: RelatedWrites = { create: [], update: [], unlink: [], delete: [] };

type RelatedResult = Partial<Record<RelatedKind, readonly unknown[]>>;

/**
 * Writes the related records of a command's record. Gives the written ones, and the pids of those that are
 * related no more, by the codes of the relations and in the order of the payload.
 * @throws as the writes of single records, with `data.path`; a record that is not related to the command's
 *   record is NOT_FOUND, as one that is not there
 */
export async function writeRelated(
  { relations = [] }: CommandContent,
  writes: ReadonlyMap<string, RelatedWrites>,
  record: RecordData,
  actor: Actor,
  writer: RecordWriter,
): Promise<Record<string, RelatedResult>> {
  const results: Record<string, RelatedResult> = {};
  for (const relation of relations) {
    results[relation.code] = await writeRelation(
      relation,
      writes.get(relation.code) ?? NO_WRITES,
      record,
      actor,
      writer,
    );
  }
  return results;
}

async function writeRelation(
  relation: RelationContent,
  writes: RelatedWrites,
  record: RecordData,
  actor: Actor,
  writer: RecordWriter,
): Promise<RelatedResult> {
  const { code, modelCode, field } = relation;
  const model = actor.metadata.model(modelCode);
  const link: ColumnValues = new Map([[field, record.pid]]);
  const lock = (targets: readonly LockedRecord[]) => writer.lockAll(model, targets, link);
  const write = <I, T>(kind: RelatedKind, items: readonly I[], work: (items: readonly I[]) => Promise<readonly T[]>) =>
    writeAtPaths(
      items,
      (index) => `${code}.${kind}[${index}]`,
      (attempt) => writer.attempt(attempt),
      work,
    );
  // Removals first: they free unique values.
  const deleted = await write('delete', writes.delete, async (targets) => {
    await writer.delete(model, ...(await lock(targets)));
    return targets.map(({ pid }) => pid);
  });
  const unlinked = await write('unlink', writes.unlink, async (targets) => {
    const values = new Map([[field, null]]);
    const updates = (await lock(targets)).map((before) => ({ before, values }));
    await writer.updateAll(model, updates, CHECKS);
    return targets.map(({ pid }) => pid);
  });
  const updated = await write('update', writes.update, async (updates) => {
    const locked = await lock(updates.map(({ target }) => target));
    const changes = locked.map((before, index) => ({ before, values: updates[index]?.values ?? new Map() }));
    return writer.updateAll(model, changes, CHECKS);
  });
  const created = await write('create', writes.create, (items) =>
    writer.createAll(
      model,
      items.map((values) => new Map([...values, ...link])),
      CHECKS,
    ),
  );
  const all = { create: created, update: updated, unlink: unlinked, delete: deleted };
  return Object.fromEntries(kindsOf(relation).map((kind) => [kind, all[kind]]));
}
