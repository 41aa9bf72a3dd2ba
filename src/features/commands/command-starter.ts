import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { TemporalGateway } from '../../foundation/temporal/temporal-gateway.ts';
import { commandWorkflowId, EXECUTE_COMMAND, type ExecuteCommandInput } from '../../../workflows/contracts.ts';
import type { ExecutionRow } from './execution-store.ts';

/** Starts the workflow `command:<executionPid>` of an execution, at most once ever. */
export class CommandStarter {
  readonly #temporal: TemporalGateway;

  constructor(temporal: TemporalGateway) {
    this.#temporal = temporal;
  }

  /**
   * @returns false when the workflow had been started before
   * @throws SERVICE_UNAVAILABLE when Temporal does not answer: it may or may not have started
   */
  async start(
    execution: Pick<ExecutionRow, 'pid' | 'tenantId' | 'environment' | 'commandCode' | 'traceId'>,
  ): Promise<boolean> {
    const input: ExecuteCommandInput = { executionPid: execution.pid };
    try {
      await this.#temporal.start(EXECUTE_COMMAND, {
        workflowId: commandWorkflowId(execution.pid),
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        args: [input],
        memo: { traceId: execution.traceId },
        attributes: {
          tenantId: execution.tenantId,
          environment: execution.environment,
          commandCode: execution.commandCode,
        },
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }
}
