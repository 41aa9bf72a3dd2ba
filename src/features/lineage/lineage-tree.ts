import type { TracedDelivery, TracedRun } from '../../platform/events/event-consequences.ts';

/** What a request has caused, as flat lists. */
export interface TraceParts<E, C> {
  /** `runPid`: the run that asked for it. */
  readonly executions: readonly { readonly pid: string; readonly runPid: string | null; readonly view: E }[];
  readonly changes: readonly { readonly executionPid: string; readonly view: C }[];
  /** `executionPid`: the command that it tells of; null: none, or one that is not known. */
  readonly events: readonly {
    readonly pid: string;
    readonly eventType: string;
    readonly executionPid: string | null;
  }[];
  readonly deliveries: readonly TracedDelivery[];
  readonly runs: readonly TracedRun[];
}

type ExecutionNode<E, C> = E & { readonly changes: readonly C[]; readonly events: readonly EventNode<E, C>[] };

export interface EventNode<E, C> {
  readonly pid: string;
  readonly eventType: string;
  readonly deliveries: readonly Omit<TracedDelivery, 'eventPid'>[];
  readonly runs: readonly RunNode<E, C>[];
}

type RunNode<E, C> = Omit<TracedRun, 'eventPid' | 'sentEventPids'> & {
  readonly executions: readonly ExecutionNode<E, C>[];
  readonly events: readonly EventNode<E, C>[];
};

/** What a request has caused, as a tree; what has no parent in it stands at its top. */
export interface LineageTree<E, C> {
  readonly executions: readonly ExecutionNode<E, C>[];
  readonly events: readonly EventNode<E, C>[];
  readonly runs: readonly RunNode<E, C>[];
}

/** Puts each execution under the run that asked for it, and each run under the event that started it. */
export function lineageTree<E extends object, C>(parts: TraceParts<E, C>): LineageTree<E, C> {
  const { executions, events, deliveries, runs } = parts;
  const known = {
    executions: new Set(executions.map(({ pid }) => pid)),
    events: new Set(events.map(({ pid }) => pid)),
    runs: new Set(runs.map(({ runPid }) => runPid)),
  };
  const senders = new Map(runs.flatMap(({ runPid, sentEventPids }) => sentEventPids.map((pid) => [pid, runPid])));
  const under = (pid: string | null | undefined, parents: ReadonlySet<string>): string =>
    pid && parents.has(pid) ? pid : '';
  const changesOf = Map.groupBy(parts.changes, ({ executionPid }) => executionPid);
  const deliveriesOf = Map.groupBy(deliveries, ({ eventPid }) => eventPid);
  const executionsOf = Map.groupBy(executions, ({ runPid }) => under(runPid, known.runs));
  const runsOf = Map.groupBy(runs, ({ eventPid }) => under(eventPid, known.events));
  const eventsOf = Map.groupBy(events, ({ executionPid }) => under(executionPid, known.executions));
  const sentBy = Map.groupBy(eventsOf.get('') ?? [], ({ pid }) => senders.get(pid) ?? '');

  const executionNodes = (runPid: string): ExecutionNode<E, C>[] =>
    (executionsOf.get(runPid) ?? []).map(({ pid, view }) => ({
      ...view,
      changes: (changesOf.get(pid) ?? []).map((change) => change.view),
      events: (eventsOf.get(pid) ?? []).map(eventNode),
    }));
  const eventNode = ({ pid, eventType }: { pid: string; eventType: string }): EventNode<E, C> => ({
    pid,
    eventType,
    deliveries: (deliveriesOf.get(pid) ?? []).map(({ eventPid: _eventPid, ...delivery }) => delivery),
    runs: runNodes(pid),
  });
  const runNodes = (eventPid: string): RunNode<E, C>[] =>
    (runsOf.get(eventPid) ?? []).map(({ eventPid: _eventPid, sentEventPids: _sent, ...run }) => ({
      ...run,
      executions: executionNodes(run.runPid),
      events: (sentBy.get(run.runPid) ?? []).map(eventNode),
    }));
  return { executions: executionNodes(''), events: (sentBy.get('') ?? []).map(eventNode), runs: runNodes('') };
}
