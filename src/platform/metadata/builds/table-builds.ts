import { BUILD_TABLES, buildTablesWorkflowId } from '../../../../workflows/contracts.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { BUILD_LOOK_EVERY_MS, BUILD_RETENTION_DAYS } from '../models/models.limits.ts';

/**
 * Starts a workflow for each environment that has something to build. Queuing does not need Temporal,
 * and Temporal may lose its data.
 */
export class TableBuilds implements Retention {
  readonly tables = ['table_build'];
  readonly #orm: PlatformOrm;
  readonly #temporal: TemporalGateway;
  readonly #logger: Logger;
  readonly #loop = new PollingLoop(BUILD_LOOK_EVERY_MS, () => this.#startOrLog());

  constructor(orm: PlatformOrm, temporal: TemporalGateway, metrics: Metrics, logger: Logger) {
    this.#orm = orm;
    this.#temporal = temporal;
    this.#logger = logger;
    const help = 'Indexes and constraints of large tables that are not built yet';
    metrics.gauge('table_builds', help, ['status'], async (gauge) => {
      gauge.reset();
      for (const { status, builds } of await this.#unfinished()) gauge.set({ status }, builds);
    });
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** Forgets builds that ended long ago. There is at most one for each index of a model. */
  async purgeBatch(): Promise<boolean> {
    await sqlRunnerOf(this.#orm.em.fork()).query(
      `delete from platform.table_build where status = 'DONE' and finished_at < now() - $1 * interval '1 day'`,
      [BUILD_RETENTION_DAYS],
    );
    return false;
  }

  #unfinished(): Promise<{ status: string; builds: number }[]> {
    return sqlRunnerOf(this.#orm.em.fork()).query(
      `select status, count(*)::int as builds from platform.table_build
       where status in ('QUEUED', 'BUILDING', 'FAILED') group by 1`,
    );
  }

  async #startOrLog(): Promise<void> {
    try {
      const open = await sqlRunnerOf(this.#orm.em.fork()).query<{ environment: string }>(
        `select distinct environment from platform.table_build where status in ('QUEUED', 'BUILDING', 'CANCELLED')`,
      );
      for (const { environment } of open) await this.#startWorkflow(environment);
    } catch (error) {
      this.#logger.warn({ err: error }, 'table builds could not be started; it is tried again');
    }
  }

  async #startWorkflow(environment: string): Promise<void> {
    const workflowId = buildTablesWorkflowId(environment, this.#temporal.taskQueue);
    await this.#temporal.start(BUILD_TABLES, { workflowId, args: [{ environment }], attributes: { environment } });
  }
}
