import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Histogram, Metrics } from '../../../foundation/metrics/metrics.ts';
import type { NewExecution } from '../executions/execution-store.ts';
import { WAITING } from '../commands.limits.ts';
import type { WorkflowMode } from './command-starter.ts';
import { FairQueue } from './fair-queue.ts';

/** An accepted command whose caller waits until it has begun. */
export interface WaitingCommand {
  readonly execution: NewExecution;
  readonly mode: WorkflowMode;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The accepted commands of this process that have not begun, by tenants in turn. */
export class WaitingCommands {
  readonly #max: number;
  readonly #waits: Histogram;
  readonly #queue = new FairQueue<WaitingCommand & { readonly since: number }>();

  /** @param max of those above, the newest of the tenant with most is refused */
  constructor(max: number, metrics: Metrics) {
    this.#max = max;
    this.#waits = metrics.histogram('command_lane_wait_seconds', 'Time that commands wait before their start');
    metrics.gauge('command_lane_waiting', 'How many commands wait for their start', [], (gauge) =>
      gauge.set(this.size),
    );
  }

  get size(): number {
    return this.#queue.size;
  }

  /**
   * Resolves when the command has begun.
   * @throws SERVICE_UNAVAILABLE when too many wait, or it has waited for too long
   */
  add(execution: NewExecution, mode: WorkflowMode): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.size >= this.#max) {
        const displaced = this.#queue.displace(execution.tenantId);
        if (!displaced) return reject(tooManyCommands());
        displaced.reject(tooManyCommands());
      }
      this.#queue.add(execution.tenantId, { execution, mode, since: Date.now(), resolve, reject });
    });
  }

  /**
   * Takes the next ones, without those that have waited for too long.
   * @param maxOfOneTenant while others wait
   */
  take(max: number, maxOfOneTenant: number): WaitingCommand[] {
    return this.#queue.draw(max, maxOfOneTenant).filter(({ since, reject }) => {
      const waitedMs = Date.now() - since;
      this.#waits.observe(waitedMs / 1_000);
      if (waitedMs <= WAITING.maxMs) return true;
      reject(tooManyCommands());
      return false;
    });
  }
}

export function tooManyCommands(): ApplicationError {
  const data = { dependency: 'temporal', reason: 'BUSY' };
  const message = 'Too many commands are waiting; try again';
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data, retryAfterSeconds: 2 });
}
