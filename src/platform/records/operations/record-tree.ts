import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { Model } from '../../metadata/models/model.ts';
import { relationNamed, type Expansion } from '../query/expansion.ts';
import type { RecordData } from '../reader/record-reader.ts';
import { MAX_BATCH } from '../records.limits.ts';
import { writeAtPaths } from './record-batch.ts';
import { writableModel, type RecordInput, type RecordOperations, type RecordTarget } from './record-operations.ts';

/** A related record: with a pid it is changed, or deleted, else created. */
export interface RelatedInput extends Partial<RecordTarget> {
  readonly data?: RecordInput;
  readonly delete?: boolean;
}

/** A record and those that are related to it. */
export interface RecordTree extends Partial<RecordTarget> {
  readonly data: RecordInput;
  /** By the names of relations: one record for a field of the model, many for `<model>.<field>`. */
  readonly relations?: Readonly<Record<string, RelatedInput | readonly RelatedInput[]>>;
}

/** The records as they are now, by the names of their relations; deleted ones are left out. */
export interface SavedTree {
  readonly record: RecordData;
  readonly relations: Readonly<Record<string, RecordData | readonly RecordData[]>>;
}

interface Branch {
  readonly name: string;
  readonly modelCode: string;
  readonly field: string;
  readonly many: boolean;
  readonly items: readonly RelatedInput[];
}

/**
 * Saves a record with related ones: first those that it names, then itself, then those that name it.
 * @throws as the writes of single records; field errors have paths such as `relations.deal_line.deal.0.price`
 */
export async function saveTree(
  operations: RecordOperations,
  actor: Actor,
  modelCode: string,
  { pid, expectedVersion, data, relations = {} }: RecordTree,
): Promise<SavedTree> {
  const branches = branchesOf(relations, writableModel(actor, modelCode), actor);
  const saved: Record<string, RecordData | readonly RecordData[]> = {};
  const own = { ...data };
  for (const branch of branches.filter(({ many }) => !many)) {
    const [related = {}] = await saveBranch(operations, branch, {});
    own[branch.field] = related.pid;
    saved[branch.name] = related;
  }
  const record =
    pid === undefined
      ? await operations.create(modelCode, own)
      : await operations.update(modelCode, { pid, expectedVersion, data: own });
  for (const branch of branches.filter(({ many }) => many)) {
    saved[branch.name] = await saveBranch(operations, branch, { [branch.field]: record.pid });
  }
  return { record, relations: saved };
}

/** @param link what makes the records related ones */
async function saveBranch(
  operations: RecordOperations,
  { name, modelCode, items }: Branch,
  link: RecordInput,
): Promise<RecordData[]> {
  const kinds = Map.groupBy(items.keys(), (index) => kindOf(items[index] ?? {}));
  const saved = new Map<number, RecordData>();
  const write = async (kind: Kind, work: (some: readonly RelatedInput[]) => Promise<readonly RecordData[]>) => {
    const indexes = kinds.get(kind) ?? [];
    const some = indexes.map((index) => items[index] ?? {});
    const pathOf = (index: number): string => `relations.${name}.${indexes[index] ?? 0}`;
    const written = await writeAtPaths(some, pathOf, (attempt) => operations.attempt(attempt), work);
    for (const [index, record] of written.entries()) saved.set(indexes[index] ?? 0, record);
  };
  await write('delete', async (some) => {
    await operations.deleteAll(modelCode, some.map(targetOf));
    return [];
  });
  await write('update', (some) =>
    operations.updateAll(
      modelCode,
      some.map((item) => ({ ...targetOf(item), data: { ...item.data, ...link } })),
    ),
  );
  await write('create', (some) =>
    operations.createAll(
      modelCode,
      some.map(({ data }) => ({ ...data, ...link })),
    ),
  );
  return [...saved].sort(([one], [other]) => one - other).map(([, record]) => record);
}

type Kind = 'create' | 'update' | 'delete';

function kindOf({ pid, delete: isDeleted = false }: RelatedInput): Kind {
  if (isDeleted) return 'delete';
  return pid === undefined ? 'create' : 'update';
}

function targetOf({ pid = '', expectedVersion }: RelatedInput): RecordTarget {
  return { pid, expectedVersion };
}

/** @throws VALIDATION_ERROR with all that is wrong */
function branchesOf(relations: NonNullable<RecordTree['relations']>, model: Model, actor: Actor): Branch[] {
  const errors: FieldErrors = {};
  const branches = Object.entries(relations).flatMap(([name, given]): Branch[] => {
    const relation = relationNamed(name, model, actor);
    const items = (Array.isArray(given) ? given : [given]) as readonly RelatedInput[];
    const problem = problemOf(relation, items, name, model);
    if (problem !== null) errors[`relations.${name.slice(0, 100)}`] = problem;
    items.forEach((item, index) => {
      if (item.delete && item.pid === undefined) errors[`relations.${name}.${index}.pid`] = 'is required';
      if (item.pid !== undefined && items.findIndex(({ pid }) => pid === item.pid) < index) {
        errors[`relations.${name}.${index}.pid`] = 'is named twice';
      }
    });
    if (!relation?.model) return [];
    return [{ name, modelCode: relation.model.code, field: relation.field, many: relation.many, items }];
  });
  throwIfInvalid(errors);
  return branches;
}

function problemOf(relation: Expansion | null, items: readonly RelatedInput[], path: string, model: Model) {
  if (!relation) return text('{path} is not a relation of {model}', { path: path.slice(0, 100), model: model.code });
  if (relation.join) return 'is many-to-many: relate records one by one';
  if (!relation.many && (items.length !== 1 || items[0]?.delete)) return 'takes one record, which is not deleted';
  return items.length > MAX_BATCH ? text('takes at most {max} items', { max: MAX_BATCH }) : null;
}
