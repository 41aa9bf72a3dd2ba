import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { RecordData } from '../record-reader.ts';
import { checkBatch, writeBatch, type BatchMode, type BatchResult } from './record-batch.ts';
import {
  writableModel,
  type RecordChangeInput,
  type RecordInput,
  type RecordOperations,
  type RecordTarget,
  type RelationInput,
} from './record-operations.ts';
import type { RecordTransactions, WriteName } from './record-transactions.ts';
import { saveTree, type RecordTree, type SavedTree } from './record-tree.ts';

/**
 * Writes records without a command, by the code of their model: each call is one transaction, or a part of
 * one, with its change log, its events and its totals. All need `record:write:<model>`.
 * Spec: "Service operations".
 */
export class RecordWrites {
  readonly #transactions: RecordTransactions;

  constructor(transactions: RecordTransactions) {
    this.#transactions = transactions;
  }

  /** Gives the full record with its system fields. @throws FORBIDDEN, VALIDATION_ERROR, CONFLICT (UNIQUE) */
  create(actor: Actor, modelCode: string, data: RecordInput): Promise<RecordData> {
    return this.#run(actor, 'record:create', (operations) => operations.create(modelCode, data));
  }

  /** As `create`; null where another record has a unique value. A surrounding transaction stays usable. */
  tryCreate(actor: Actor, modelCode: string, data: RecordInput): Promise<RecordData | null> {
    return this.#run(actor, 'record:create', async (operations) => {
      try {
        return await operations.attempt(() => operations.create(modelCode, data));
      } catch (error) {
        if (error instanceof ApplicationError && error.data?.reason === 'UNIQUE') return null;
        throw error;
      }
    });
  }

  /**
   * Changes the named fields, and gives the full record.
   * @throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CONFLICT (VERSION, STATE, UNIQUE), PRECONDITION_REQUIRED
   */
  update(actor: Actor, modelCode: string, change: RecordChangeInput): Promise<RecordData> {
    return this.#run(actor, 'record:update', (operations) => operations.update(modelCode, change));
  }

  /**
   * Deletes softly.
   * @throws NOT_FOUND, FORBIDDEN, CONFLICT (VERSION, REFERENCE, LIMIT), PRECONDITION_REQUIRED
   */
  delete(actor: Actor, modelCode: string, target: RecordTarget): Promise<void> {
    return this.#run(actor, 'record:delete', (operations) => operations.deleteAll(modelCode, [target]));
  }

  /**
   * Creates up to 500 records.
   * @throws VALIDATION_ERROR for a wrong batch; `atomic`: as `create`, with `data.index`
   */
  async batchCreate(
    actor: Actor,
    modelCode: string,
    items: readonly RecordInput[],
    mode: BatchMode = 'atomic',
  ): Promise<BatchResult<RecordData>> {
    checkBatch(items);
    return this.#batch(actor, 'record:create', modelCode, items, mode, (operations, some) =>
      operations.createAll(modelCode, some),
    );
  }

  /** Changes up to 500 records, as `batchCreate`. */
  async batchUpdate(
    actor: Actor,
    modelCode: string,
    items: readonly RecordChangeInput[],
    mode: BatchMode = 'atomic',
  ): Promise<BatchResult<RecordData>> {
    checkBatch(items, pidsOf(items));
    return this.#batch(actor, 'record:update', modelCode, items, mode, (operations, some) =>
      operations.updateAll(modelCode, some),
    );
  }

  /** Deletes up to 500 records, as `batchCreate`. */
  async batchDelete(
    actor: Actor,
    modelCode: string,
    items: readonly RecordTarget[],
    mode: BatchMode = 'atomic',
  ): Promise<BatchResult<Pick<RecordTarget, 'pid'>>> {
    checkBatch(items, pidsOf(items));
    return this.#batch(actor, 'record:delete', modelCode, items, mode, async (operations, some) => {
      await operations.deleteAll(modelCode, some);
      return some.map(({ pid }) => ({ pid }));
    });
  }

  /**
   * Relates two records. Gives the record whose field changed, or the one that joins them. @throws as
   * `update` and `create`; NOT_FOUND for an unknown relation
   */
  async createRelation(actor: Actor, modelCode: string, relation: RelationInput): Promise<RecordData> {
    const { record } = await this.#run(actor, 'record:relate', (operations) => operations.relate(modelCode, relation));
    return record;
  }

  /** Ends a relation, as `createRelation`. @throws NOT_FOUND where the records are not related */
  async removeRelation(actor: Actor, modelCode: string, relation: RelationInput): Promise<RecordData> {
    const end = (operations: RecordOperations) => operations.unrelate(modelCode, relation);
    return (await this.#run(actor, 'record:unrelate', end)).record;
  }

  /** Saves a record with related ones, all or nothing. */
  saveWithRelations(actor: Actor, modelCode: string, tree: RecordTree): Promise<SavedTree> {
    return this.#run(actor, 'record:save', (operations) => saveTree(operations, actor, modelCode, tree));
  }

  #batch<I, T>(
    actor: Actor,
    name: WriteName,
    modelCode: string,
    items: readonly I[],
    mode: BatchMode,
    write: (operations: RecordOperations, items: readonly I[]) => Promise<readonly T[]>,
  ): Promise<BatchResult<T>> {
    // What no item can help is no item's failure.
    writableModel(actor, modelCode);
    return this.#run(actor, name, (operations) =>
      writeBatch(
        items,
        mode,
        (work) => operations.attempt(work),
        (some) => write(operations, some),
      ),
    );
  }

  #run<T>(actor: Actor, name: WriteName, work: (operations: RecordOperations) => Promise<T>): Promise<T> {
    return this.#transactions.run(actor, name, work);
  }
}

function pidsOf(items: readonly RecordTarget[]): string[] {
  return items.map(({ pid }) => pid);
}
