import type { Sources } from '../../../foundation/expressions/value-sources.ts';

/** A run requested by a step of a command. It starts when the command's event is relayed. */
export interface RunStart {
  readonly stepId: string;
  readonly runPid: string;
  readonly automationCode: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The fields that the input comes from. */
  readonly sources: Sources;
}
