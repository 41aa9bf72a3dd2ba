import { WorkflowIdReusePolicy } from '@temporalio/common';
import { distinct, summaryOf } from './group-summary.ts';
import type { StartOptions, TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import {
  commandGroupWorkflowId,
  commandWorkflowId,
  EXECUTE_BATCH,
  EXECUTE_COMMAND,
  EXECUTE_COMMANDS,
  type ExecuteCommandInput,
  type ExecuteCommandsInput,
} from '../../../../workflows/contracts.ts';
import { WORKFLOW_TASK_TIMEOUT_MS } from '../commands.limits.ts';
import { BATCH } from '../executions/execution.entity.ts';
import type { ExecutionRow } from '../executions/execution-store.ts';

export type StartedExecution = Pick<
  ExecutionRow,
  'pid' | 'tenantId' | 'environment' | 'commandCode' | 'traceId' | 'operation'
>;

/** Whether a command may share its workflow with others. */
export type WorkflowMode = 'grouped' | 'workflow';

/** Starts the workflows of executions: each id at most once ever. */
export class CommandStarter {
  readonly #temporal: TemporalGateway;

  constructor(temporal: TemporalGateway) {
    this.#temporal = temporal;
  }

  /**
   * Starts the workflow `command:<pid>` of one execution.
   * @returns false when the workflow had been started before
   * @throws SERVICE_UNAVAILABLE when Temporal does not answer: it may or may not have started
   */
  async start({ pid, traceId, tenantId, environment, commandCode, operation }: StartedExecution): Promise<boolean> {
    const input: ExecuteCommandInput = { executionPid: pid };
    return this.#start(operation === BATCH ? EXECUTE_BATCH : EXECUTE_COMMAND, commandWorkflowId(pid), input, {
      memo: { traceId },
      attributes: { tenantId, environment, commandCode },
    });
  }

  /** As `start`, for the workflow `commands:<groupPid>` of several executions. */
  async startGroup(groupPid: string, executions: readonly StartedExecution[]): Promise<boolean> {
    const executionPids = executions.map(({ pid }) => pid);
    const input: ExecuteCommandsInput = { groupPid, executionPids };
    const environments = distinct(executions.map(({ environment }) => environment));
    return this.#start(EXECUTE_COMMANDS, commandGroupWorkflowId(groupPid), input, {
      summary: summaryOf(executions.map(({ commandCode }) => commandCode)),
      attributes: environments.length === 1 ? { environment: environments[0] } : {},
      attributeLists: {
        tenantIds: distinct(executions.map(({ tenantId }) => tenantId)),
        commandCodes: distinct(executions.map(({ commandCode }) => commandCode)),
      },
    });
  }

  #start(
    workflowType: string,
    workflowId: string,
    input: object,
    options: Pick<StartOptions, 'memo' | 'summary' | 'attributes' | 'attributeLists'>,
  ): Promise<boolean> {
    return this.#temporal.start(workflowType, {
      workflowId,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      taskTimeoutMs: WORKFLOW_TASK_TIMEOUT_MS,
      args: [input],
      ...options,
    });
  }
}
