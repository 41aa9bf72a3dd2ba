import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { EventVisibility } from '../../../platform/events/event-visibility.ts';
import { hiddenFields, withoutFields } from '../../../platform/metadata/snapshot/hidden-fields.ts';
import type { AnyStep } from '../steps/step-schema.ts';
import { isApprover } from './approvals.ts';
import type { StepRow } from './step-store.ts';

/** Keys of outputs that hold no value of a record, by the type of the step. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  approval: ['approved', 'comment', 'by', 'timedOut'],
  branch: ['case'],
  condition: ['holds'],
  forEach: ['count'],
  wait: ['until'],
  waitForEvent: ['timedOut'],
};

/** The part of a step's output that a reader may see from whom something in the run's reach is hidden. */
export function visibleOutput(
  row: StepRow,
  step: AnyStep,
  output: unknown,
  reader: Actor,
  visibility: EventVisibility,
): unknown {
  const { type } = row;
  const plain = PLAIN[type];
  // What the approver is asked was written for them.
  if (type === 'approval' && isApprover(row, reader)) return output;
  if (plain) return Object.fromEntries(Object.entries(output as object).filter(([key]) => plain.includes(key)));
  const models =
    type === 'query'
      ? new Set([String(step.modelCode)])
      : type === 'command'
        ? reader.metadata.modelsWrittenBy(String(step.commandCode))
        : new Set<string>();
  // Without a model it may be of anything; a row rule is asked of records alone, and these are read by query
  // steps.
  if (models.size === 0 || !visibility.seesRecordsOf(models, reader)) return undefined;
  return withoutFields(output, hiddenFields(models, reader.metadata, reader.permissions));
}
