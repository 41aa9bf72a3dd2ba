import { IMPORT_RECORDS, importWorkflowId, type ImportRecordsInput } from '../../../workflows/contracts.ts';
import type { Database } from '../../foundation/database/pool.ts';
import { PollingLoop } from '../../foundation/jobs/polling-loop.ts';
import type { Logger } from '../../foundation/logging/logger.ts';
import type { TemporalGateway } from '../../foundation/temporal/temporal-gateway.ts';
import type { Job } from '../../platform/feature.ts';
import type { ImportRecord } from './data-import.entity.ts';
import { openImports } from './import-store.ts';
import { OVERDUE_MS, SILENT_MS, SWEEP_EVERY_MS, SWEPT_AT_ONCE } from './imports.limits.ts';

/** Starts the workflows of imports. */
export class ImportStarter {
  readonly #temporal: TemporalGateway;

  constructor(temporal: TemporalGateway) {
    this.#temporal = temporal;
  }

  /** Starts the workflow of an import, unless one is running. @throws SERVICE_UNAVAILABLE */
  async start({ pid, tenantId, environment, traceId, pageKey, mode, username }: ImportRecord): Promise<void> {
    const input: ImportRecordsInput = { importPid: pid };
    await this.#temporal.start(IMPORT_RECORDS, {
      workflowId: importWorkflowId(pid),
      args: [input],
      memo: { traceId, pageKey, mode, username },
      attributes: { tenantId, environment },
      summary: `${mode} ${pageKey}`,
    });
  }
}

/** Starts imports that have no workflow: their node has died, or an operator or Temporal has ended it. */
export class ImportSweeper implements Job {
  readonly #database: Database;
  readonly #starter: ImportStarter;
  readonly #logger: Logger;
  readonly #loop = new PollingLoop(SWEEP_EVERY_MS, () => this.#sweepOrLog());

  constructor(database: Database, starter: ImportStarter, logger: Logger) {
    this.#database = database;
    this.#starter = starter;
    this.#logger = logger;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** Starts all that have not ended, after Temporal has lost its data. */
  async restore(): Promise<void> {
    await this.#sweep(0, 0);
  }

  async #sweepOrLog(): Promise<void> {
    try {
      await this.#sweep(OVERDUE_MS, SILENT_MS);
    } catch (error) {
      this.#logger.warn({ err: error }, 'imports could not be looked after; it is tried again');
    }
  }

  /** A start does nothing to an import whose workflow is running. */
  async #sweep(overdueMs: number, silentMs: number): Promise<void> {
    for (const found of await openImports(this.#database, overdueMs, silentMs, SWEPT_AT_ONCE)) {
      await this.#starter.start(found);
    }
  }
}
