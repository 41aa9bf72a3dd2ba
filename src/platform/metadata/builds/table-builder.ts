import { setTimeout } from 'node:timers/promises';
import { isBusy, isConnectionFailure } from '../../../foundation/database/failures.ts';
import { type PlatformOrm, OwnerConnection } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { toColumn, text, type Message } from '../../../foundation/i18n/text.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { ModelContent } from '../models/model-content.ts';
import { quoteIdentifier, tableName, toModel } from '../models/model.ts';
import { computedName, fillComputed } from '../models/tables/computed-columns.ts';
import { BUILD_POLL_MS, MAX_BUILD_ATTEMPTS } from '../models/models.limits.ts';
import { LACKS_VALUES, SHARES_VALUES } from '../models/tables/unfit-records.ts';
import { ResourceEntity } from '../resources/resource.entity.ts';
import { buildProgress, type BuildProgress } from './build-progress.ts';
import type { TableBuild } from '../models/tables/table-build.entity.ts';

/** What the operator sees of a build that is under way. */
export interface BuildReport extends Partial<BuildProgress> {
  readonly name: string;
  readonly modelCode: string;
}

/** Hears of records that have got values outside of a write. */
type AnnounceFilled = (environment: string, modelCode: string, tenantIds: Iterable<string>) => Promise<void>;

/** SQLSTATEs that the records or the model cause: another attempt would end the same way. */
const FINAL_FAILURES: Readonly<Record<string, Message>> = {
  '23505': SHARES_VALUES,
  '23514': LACKS_VALUES,
  '23502': LACKS_VALUES,
  '54000': 'has a value that is too long for an index',
  '42P01': 'has lost its table',
  '42703': 'has lost its column',
};
/** Cancelled, or short of disk, memory or connections: passes, however often it happens. */
const PASSING = /^(57|53)/;

/**
 * Carries out the queued builds of an environment, one at a time. The row says what is wanted and Postgres'
 * catalog what is there, so that each start goes on where the last one ended.
 */
export class TableBuilder {
  readonly #orm: PlatformOrm;
  readonly #url: string;
  readonly #announce: AnnounceFilled;
  readonly #logger: Logger;

  constructor(orm: PlatformOrm, url: string, announce: AnnounceFilled, logger: Logger) {
    this.#orm = orm;
    this.#announce = announce;
    this.#url = url;
    this.#logger = logger;
  }

  /**
   * @param report hears what is under way, about once a second
   * @returns false when nothing is queued
   * @throws what may pass, Postgres' refusals up to MAX_BUILD_ATTEMPTS included
   */
  async buildNext(environment: string, signal: AbortSignal, report: (build: BuildReport) => void): Promise<boolean> {
    const [build] = await this.#query<TableBuild>(
      `select * from platform.table_build where environment = $1 and status in ('QUEUED', 'BUILDING', 'CANCELLED')
       order by kind <> 'COMPUTED', attempts, created_at, name limit 1`,
      [environment],
    );
    if (!build) return false;
    const connection = await OwnerConnection.open(this.#url);
    try {
      await this.#awaitTurn(connection, build, signal, report);
      await this.#watched(connection, build, signal, report, () => this.#carryOut(connection, build));
    } finally {
      await connection.close();
    }
    return true;
  }

  /** A killed worker's statement goes on in Postgres: it ends first, and may have done the work. */
  async #awaitTurn(
    connection: OwnerConnection,
    build: TableBuild,
    signal: AbortSignal,
    report: (build: BuildReport) => void,
  ): Promise<void> {
    for (;;) {
      const [row] = await connection.query<{ free: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('keelson.table_build.' || $1, 0)) as free`,
        [build.environment],
      );
      if (row?.free) return;
      report(await this.#reportOf(build));
      await setTimeout(BUILD_POLL_MS, undefined, { signal });
    }
  }

  /** Reports while `work` goes on, and cancels its statement when the signal says so. */
  async #watched(
    connection: OwnerConnection,
    build: TableBuild,
    signal: AbortSignal,
    report: (build: BuildReport) => void,
    work: () => Promise<void>,
  ): Promise<void> {
    const [own] = await connection.query<{ backend: number }>('select pg_backend_pid() as backend');
    const cancel = () => void this.#query('select pg_cancel_backend($1)', [own?.backend]).catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    const watch = setInterval(() => void this.#reportOf(build).then(report, () => undefined), BUILD_POLL_MS);
    try {
      signal.throwIfAborted();
      await work();
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', cancel);
    }
  }

  async #reportOf(build: TableBuild): Promise<BuildReport> {
    const { name, modelCode } = build;
    return { name, modelCode, ...(await buildProgress(this.#orm, build)) };
  }

  async #carryOut(connection: OwnerConnection, { pid, environment }: TableBuild): Promise<void> {
    const [build] = await this.#query<TableBuild>(
      `update platform.table_build set status = case status when 'QUEUED' then 'BUILDING' else status end,
         attempts = attempts + 1, started_at = now()
       where pid = $1 and status in ('QUEUED', 'BUILDING', 'CANCELLED') returning *`,
      [pid],
    );
    if (!build) return;
    const { name, kind, status, modelCode } = build;
    const index = `${quoteIdentifier(environment)}.${quoteIdentifier(name)}`;
    try {
      if (status === 'CANCELLED') {
        await connection.query(`drop index concurrently if exists ${index}`);
        await this.#query(`delete from platform.table_build where pid = $1 and status = 'CANCELLED'`, [pid]);
        return;
      }
      if (kind === 'NOT_NULL') return await this.#requireValues(connection, build);
      if (kind === 'COMPUTED') return await this.#compute(connection, build);
      await this.#buildIndex(connection, build, index);
      await this.#end(build, 'DONE', null);
    } catch (error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      const state = String(code);
      this.#logger.warn({ err: error, environment, modelCode, name }, 'a table build failed');
      const isPassing = isConnectionFailure(error) || isBusy(error) || PASSING.test(state);
      const known = FINAL_FAILURES[state];
      if (!known && (isPassing || build.attempts < MAX_BUILD_ATTEMPTS)) throw error;
      if (kind !== 'NOT_NULL') await connection.query(`drop index concurrently if exists ${index}`);
      await this.#end(build, 'FAILED', known ?? text('Postgres refused it: {reason}', { reason: String(message) }));
    }
  }

  async #buildIndex(connection: OwnerConnection, { environment, name, statement }: TableBuild, index: string) {
    const [found] = await connection.query<{ indisvalid: boolean }>(
      `select x.indisvalid from pg_index x join pg_class i on i.oid = x.indexrelid
         join pg_namespace n on n.oid = i.relnamespace where n.nspname = $1 and i.relname = $2`,
      [environment, name],
    );
    if (found?.indisvalid) return;
    if (found) await connection.query(`drop index concurrently ${index}`);
    await connection.query(statement.replace(/^(create (?:unique )?index) /, '$1 concurrently '));
  }

  /** A computed field that the model has lost meanwhile, or computes otherwise, is another build's. */
  async #compute(connection: OwnerConnection, build: TableBuild): Promise<void> {
    const { environment, modelCode, fieldCode, name } = build;
    const resource = await this.#orm.em.fork().findOne(ResourceEntity, {
      environment,
      resourceType: 'MODEL',
      code: modelCode,
    });
    const model = resource && toModel(environment, modelCode, resource.content as ModelContent);
    const field = model?.computed.find((each) => each.code === fieldCode && computedName(modelCode, each) === name);
    let unfit = 0;
    if (model && field) {
      const filled = await fillComputed(connection, model, [field], async (page) => {
        await connection.query('begin');
        try {
          await connection.query(`select set_config('keelson.all_tenants', 'on', true)`);
          const next = await page();
          await connection.query('commit');
          return next;
        } catch (error) {
          await connection.query('rollback').catch(() => undefined);
          throw error;
        }
      });
      if (filled.tenants.size > 0) await this.#announce(environment, modelCode, filled.tenants);
      ({ unfit } = filled);
    }
    if (unfit === 0) await this.#end(build, 'DONE', null);
    else await this.#end(build, 'FAILED', text('{count} records have no value that fits', { count: unfit }));
  }

  /** The records are checked under a lock that writers do not notice; NOT NULL then needs no look at them. */
  async #requireValues(connection: OwnerConnection, build: TableBuild): Promise<void> {
    const { environment, modelCode, name, statement, pid } = build;
    const table = tableName(environment, modelCode);
    await connection.query(`alter table ${table} validate constraint ${quoteIdentifier(name)}`);
    await connection.query('begin');
    try {
      await connection.query(`set local lock_timeout = '200ms'`);
      const [row] = await connection.query<{ status: string }>(
        'select status from platform.table_build where pid = $1 for update',
        [pid],
      );
      if (row?.status === 'BUILDING') {
        await connection.query(statement);
        await connection.query(`alter table ${table} drop constraint ${quoteIdentifier(name)}`);
        await connection.query(`update platform.table_build set status = 'DONE', finished_at = now() where pid = $1`, [
          pid,
        ]);
      }
      await connection.query('commit');
    } catch (error) {
      await connection.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  async #end({ pid }: TableBuild, status: 'DONE' | 'FAILED', failure: Message | null): Promise<void> {
    await this.#query(
      `update platform.table_build set status = $2, failure = $3, finished_at = now()
       where pid = $1 and status = 'BUILDING'`,
      [pid, status, failure && toColumn(failure)],
    );
  }

  #query<R extends object>(sql: string, values: readonly unknown[]): Promise<R[]> {
    return sqlRunnerOf(this.#orm.em.fork()).query<R>(sql, values);
  }
}
