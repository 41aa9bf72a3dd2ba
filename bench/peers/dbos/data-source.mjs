// A data source of DBOS on `pg`, on its public data source interface: @dbos-inc/postgres-datasource 4.24
// calls functions that version 5.3 of the SDK no longer exports. The checkpoint of a step is written in the
// step's own transaction.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import {
  assertStillOwnsWorkflow,
  DBOSStepAlreadyRecordedError,
  guardDataSourcePoolPG,
  isPGRetriableTransactionError,
  migrateDataSourcePG,
  registerDataSource,
  replayRecordedStep,
  runTransaction,
} from '@dbos-inc/dbos-sdk/datasource';
import pg from 'pg';

const SCHEMA = 'dbos';
const TABLE = `"${SCHEMA}".transaction_completion`;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 2_000;
const current = new AsyncLocalStorage();

class Handler {
  constructor(name, options) {
    this.name = name;
    this.options = options;
  }

  async initialize() {
    this.pool = new pg.Pool(this.options);
    guardDataSourcePoolPG(this.pool, this.name);
    await this.transaction((client) => migrateDataSourcePG(async (text) => (await client.query(text)).rows, SCHEMA));
  }

  destroy() {
    return this.pool?.end();
  }

  async transaction(work) {
    const client = await this.pool.connect();
    let broken;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async recorded(workflowId, step) {
    const text = `SELECT output, error FROM ${TABLE} WHERE workflow_id = $1 AND function_num = $2`;
    return (await this.pool.query(text, [workflowId, step])).rows[0];
  }

  async record(client, workflowId, step, output) {
    const text = `INSERT INTO ${TABLE} (workflow_id, function_num, output) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
    const { rowCount } = await client.query(text, [workflowId, step, JSON.stringify({ json: output ?? null })]);
    if (rowCount === 0) throw new DBOSStepAlreadyRecordedError(workflowId, step);
  }

  async invokeTransactionFunction(_config, target, work, ...args) {
    const workflowId = DBOS.workflowID;
    const step = DBOS.stepID;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)) {
      const before = await this.recorded(workflowId, step);
      if (before) return replayRecordedStep(before);
      try {
        return await this.transaction(async (client) => {
          const output = await current.run(client, () => work.call(target, ...args));
          await this.record(client, workflowId, step, output);
          await assertStillOwnsWorkflow(workflowId);
          return output;
        });
      } catch (error) {
        if (error instanceof DBOSStepAlreadyRecordedError)
          return replayRecordedStep(await this.recorded(workflowId, step));
        if (!isPGRetriableTransactionError(error)) throw error;
        await sleep(waitMs);
      }
    }
  }

  /** The SDK asks for this when a workflow has ended. */
  deleteCheckpoints(workflowId, from, beforeCommit) {
    const statement = [`DELETE FROM ${TABLE} WHERE workflow_id = $1 AND function_num >= $2`, [workflowId, from]];
    if (!beforeCommit) return this.pool.query(...statement);
    return this.transaction(async (client) => {
      await client.query(...statement);
      await beforeCommit();
    });
  }
}

/** A source whose transactions are steps of workflows. */
export function dataSource(name, options) {
  registerDataSource(new Handler(name, options));
  return {
    /** The connection of the transaction under way. */
    client: () => current.getStore(),
    runTransaction: (work, config) => runTransaction(work, config.name, { dsName: name, config }),
  };
}
