import type { Actor } from '../../../../platform/auth/requests/actor.ts';
import { ANY_FIELD, type Sources } from '../../../../foundation/expressions/value-sources.ts';
import type { EventVisibility } from '../../../../platform/events/audience/event-visibility.ts';
import { valuesHiddenFrom, visibleValue, type IsHidden } from '../../../../platform/metadata/snapshot/visible-value.ts';
import { COMPENSATION } from '../../definition/definition.ts';
import { isApprover } from '../approvals/approvals.ts';
import type { StepRow } from '../rows/step-store.ts';

/** The part of a step's output that a reader may see from whom something in the run's reach is hidden. */
export function visibleOutput(
  row: StepRow,
  sources: Sources,
  output: unknown,
  reader: Actor,
  visibility: EventVisibility,
): unknown {
  // The question was written for the approver.
  if (row.type === 'approval' && isApprover(row, reader)) return output;
  if (row.type === COMPENSATION) return undefined;
  return visibleValue(output, sources, hiddenInRuns(reader, visibility));
}

/** A row rule is asked of one record, and a value may come of any. */
export function hiddenInRuns(reader: Actor, visibility: EventVisibility): IsHidden {
  const isHidden = valuesHiddenFrom(reader);
  return (field) =>
    field === ANY_FIELD || isHidden(field) || !visibility.seesRecordsOf([field.slice(0, field.indexOf('.'))], reader);
}
