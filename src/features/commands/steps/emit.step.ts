import { Type, type Static } from 'typebox';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { withMembers } from '../../../foundation/expressions/value-origin.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { objectType } from './result-type.ts';
import { checkSize, expressionsIn, stepSchema, type NamedStepKind, type StepPlace } from './command-step.ts';

const schema = stepSchema('emit', {
  eventType: Type.String({ pattern: '^[a-z][a-z0-9_.:]{0,99}$' }),
  payload: Type.Optional(mapOf(EXPRESSION, { maxProperties: 500 })),
});

/** Prefixes of event types that authors may not emit. */
const RESERVED = ['record.', 'record:', 'automation.', 'webhook.', 'meta:'];

/** Emits an event of its own type, which stands in the outbox beside the command's own event. */
export const emitStep: NamedStepKind<Static<typeof schema>> = {
  schema,
  isAnswered: true,
  expressions: ({ payload }) => expressionsIn('payload', payload),
  problems({ eventType }, place): FieldErrors {
    const problem = problemOfType(eventType, place);
    return problem ? { eventType: problem } : {};
  },
  outputType: () => ({ fields: { eventPid: 'text' } }),
  outputOrigin: () => ({}),
  resultType: () => objectType({ eventPid: { kind: 'text' } }),
  event: ({ eventType, payload = {} }) => ({ eventType, payload }),
  async run({ id, eventType, payload: mapping = {} }, { writer, evaluateAll, originOf }) {
    const payload = await evaluateAll(mapping, 'payload');
    checkSize(`${id}.payload`, payload);
    const origin = withMembers(Object.entries(mapping).map(([key, source]) => [key, originOf(source)]));
    const output = { eventPid: writer.emit({ stepId: id, eventType, payload, origin }) };
    return { output, read: output };
  },
};

/** The type decides who may see an event: another emitter's type would be trusted as its own. */
function problemOfType(eventType: string, { commandCode, eventType: own, after }: StepPlace): Message | null {
  if (eventType === own || eventType === commandCode) return "is the type of the command's own event";
  return problemOfEventType(eventType, after);
}

/** The problem of a type that an author gives to an event: another emitter's would be trusted as its own. */
export function problemOfEventType(eventType: string, after: Configuration): Message | null {
  const reserved = RESERVED.find((start) => eventType.startsWith(start));
  if (reserved !== undefined) return text('must not begin with {start}', { start: reserved });
  return after.has('COMMAND', eventType) ? 'is the code of a command, and the type of its event' : null;
}
