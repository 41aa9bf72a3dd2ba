import { toFailure } from '../../activities/failure.ts';
import { conflict, unavailable } from '../../src/foundation/errors/application-error.ts';
import type { Activities, PromotionRequestInput, PromotionState } from '../../workflows/contracts.ts';

/** Activities that play what a test or a recording says, in place of the program's. */
export type Stubs = Partial<Activities>;

/** An error that passes, and one that is final. */
export const TRANSIENT = unavailable('postgres');
export const FINAL = conflict('STATE');

/**
 * A stub with one outcome per call, the last one for all further calls. Errors are thrown as the program's
 * activities throw them. `calls` are the inputs.
 */
export function outcomes<Output>(...list: readonly (Output | Error)[]) {
  const calls: unknown[] = [];
  const stub = async (input?: unknown): Promise<Output> => {
    calls.push(input);
    const outcome = list[Math.min(calls.length, list.length) - 1];
    if (outcome instanceof Error) throw toFailure(outcome);
    return outcome as Output;
  };
  return Object.assign(stub, { calls });
}

/** A stub whose calls wait until `release` is called. `begun` resolves with the first call. */
export function held<Output>(outcome: () => Promise<Output>) {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const stub = async (): Promise<Output> => {
    begun.resolve();
    await released.promise;
    return outcome();
  };
  return { stub, begun: begun.promise, release: () => released.resolve() };
}

/**
 * A stub with the outcome of each request to a promotion, by its pid; `<pid> due` when a scheduled apply is.
 * As the program's activity it may be called twice for a request. `handled` are the requests, each once.
 */
export function requests(list: Record<string, PromotionState | Error>) {
  const handled = new Set<string>();
  const handlePromotionRequest = async ({ requestPid, due }: PromotionRequestInput): Promise<PromotionState> => {
    const name = due ? `${requestPid} due` : requestPid;
    handled.add(name);
    const outcome = list[name];
    if (outcome === undefined || outcome instanceof Error) throw toFailure(outcome);
    return outcome;
  };
  return { handlePromotionRequest, handled };
}
