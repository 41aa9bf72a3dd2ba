/**
 * What the world outside and the workflows agree on: names, ids and argument shapes. It imports nothing, so that both
 * Temporal's sandbox and the rest of the program can import it. Arguments carry ids only: histories are plain text.
 */

/** The workflow type that carries one command to its end. */
export const EXECUTE_COMMAND = 'executeCommand';

export interface ExecuteCommandInput {
  readonly executionPid: string;
}

export function commandWorkflowId(executionPid: string): string {
  return `command:${executionPid}`;
}

/** Search attributes, all of type Keyword, by which operators find workflows. */
export const SEARCH_ATTRIBUTES = ['tenantId', 'environment', 'commandCode'] as const;

/** The activities that workflows call. */
export interface Activities {
  /** Applies an accepted command in one transaction. Idempotent by the execution's pid. */
  applyCommand(input: ExecuteCommandInput): Promise<void>;
}
