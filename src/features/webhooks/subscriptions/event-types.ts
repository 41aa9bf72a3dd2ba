import { localizedName, type Text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { CommandContent } from '../../commands/definition/command-content.ts';
import { payloadFieldsOfAll } from '../../commands/definition/payload-fields.ts';
import { eventsOf } from '../../commands/definition/command-events.ts';
import { COMMAND, modelsOf } from '../../commands/definition/command-type.ts';
import { automationEvents } from '../../automations/definition/automation-events.ts';
import { kindsOf } from '../../commands/definition/relation-content.ts';
import type { AnyCommandStep } from '../../commands/steps/command-step.ts';
import { kindOf } from '../../commands/steps/step-kinds.ts';
import { originsOfRecord, visibleBodyOf } from '../../../platform/events/audience/event-origins.ts';
import {
  declaredFields,
  withoutField,
  writableFields,
  type Model,
  type Field,
} from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { EventBody } from '../../../platform/events/outbox/outbox.ts';
import { WEBHOOK_DISABLED } from '../deliveries/auto-disable.ts';
import { matchesEventType } from '../../../platform/metadata/resources/event-types.ts';
import { valuesHiddenFrom } from '../../../platform/metadata/snapshot/visible-value.ts';
import { SAMPLE_PID } from '../../../platform/metadata/field-types/pid-values.ts';
import { SAMPLE_TIME } from '../../../platform/metadata/field-types/datetime.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';

const USER_PID = '01J9ZQ4W7N00000000000USER0';

/** A record of the model as an event would carry it: every field, those of the system included. */
function sampleRecord(model: Model): Record<string, unknown> {
  return Object.fromEntries([...model.fields.values()].map((field) => [field.code, sampleOf(field)]));
}

/** What a command that writes the whole record would be sent. */
function sampleFields(fields: readonly FieldContent[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((content) => [content.code, sampleValue(content)]));
}

function sampleOf({ code, content }: Field): unknown {
  if (content) return sampleValue(content);
  const system: Record<string, unknown> = {
    id: '1',
    pid: SAMPLE_PID,
    tenant_id: '1',
    created_at: SAMPLE_TIME,
    created_by: USER_PID,
    updated_at: SAMPLE_TIME,
    updated_by: USER_PID,
    version: 1,
  };
  return system[code] ?? null;
}

function sampleValue(field: FieldContent): unknown {
  return field.default !== undefined ? field.default : FIELD_TYPES[field.type].sample(field);
}

/** Something that a subscription can listen for. */
interface EventType {
  readonly eventType: string;
  readonly description: string | Text;
  /** Null where it comes of any model. */
  readonly modelCode: string | null;
  /** The command whose event it is; null where many have it. */
  readonly commandCode: string | null;
  readonly sample: EventBody;
}

const WILDCARDS =
  'A subscription may name the start of event types followed by *: crm:* hears of every command of crm, record.* of every changed record, * of everything.';

/** Every event type of the environment that the actor may read, with a sample each. */
export function eventTypesFor(actor: Actor): { records: EventType[]; wildcards: string } {
  return { records: typesFor(actor, null), wildcards: WILDCARDS };
}

function typesFor(actor: Actor, modelCode: string | null): EventType[] {
  const { metadata } = actor;
  return [...commandTypes(actor), ...automationTypes(metadata), ...recordTypes(actor, modelCode), disabledType()];
}

/**
 * What a subscription may be sent as a sample: the first type that it listens for and that its reader may
 * read. Of a type that nothing emits (yet) the sample holds what is known, which is little.
 */
export function sampleFor(reader: Actor, pattern: string, modelCode: string | null): Omit<EventType, 'description'> {
  const fits = typesFor(reader, modelCode).find(
    (type) =>
      matchesEventType(pattern, type.eventType) &&
      (modelCode === null || type.modelCode === null || type.modelCode === modelCode),
  );
  if (fits) return fits;
  const eventType = pattern.replace(/[:.]?\*$/, '') || 'sample';
  const model = modelCode === null ? undefined : reader.metadata.models.get(modelCode);
  const isReadable = model && reader.permissions.has(permissionCode.recordRead(model.code));
  const sample = { commandCode: eventType, modelCode, payload: {}, result: {} };
  return {
    eventType,
    modelCode,
    commandCode: eventType,
    sample: isReadable
      ? visibleBodyOf({ ...sample, result: sampleRecord(model) }, originsOfRecord(model.code), valuesHiddenFrom(reader))
      : sample,
  };
}

function commandTypes(actor: Actor): EventType[] {
  const { metadata, permissions } = actor;
  const isHidden = valuesHiddenFrom(actor);
  return [...metadata.all(COMMAND)]
    .filter(([, command]) => [...modelsOf(command)].every((code) => permissions.has(permissionCode.recordRead(code))))
    .flatMap(([code, command]) => eventsOf(code, command))
    .map(({ eventType, commandCode, command, stepPayload, origins }) => {
      const { name: description, modelCode } = command;
      const sample = stepPayload
        ? { commandCode, modelCode, payload: Object.fromEntries(stepPayload.map((key) => [key, null])), result: {} }
        : sampleOfCommand(commandCode, command, metadata);
      return {
        eventType,
        description: localizedName(description),
        modelCode,
        commandCode,
        sample: visibleBodyOf(sample, origins, isHidden),
      };
    })
    .sort((a, b) => a.eventType.localeCompare(b.eventType));
}

function automationTypes(metadata: Snapshot): EventType[] {
  return automationEvents(metadata)
    .map(({ eventType, name, automationCode, payloadKeys }) => {
      const payload = Object.fromEntries(payloadKeys.map((key) => [key, null]));
      const result = { runPid: SAMPLE_PID, automationCode };
      const sample = { commandCode: eventType, modelCode: null, payload, result };
      return { eventType, description: localizedName(name), modelCode: null, commandCode: eventType, sample };
    })
    .sort((a, b) => a.eventType.localeCompare(b.eventType));
}

function sampleOfCommand(commandCode: string, command: CommandContent, metadata: Snapshot): EventBody {
  const { modelCode, operations, payload: ownPayload } = command;
  const model = metadata.model(modelCode);
  const record = sampleRecord(model);
  const [operation] = operations;
  const written = sampleFields(payloadFieldsOfAll(command, model));
  const about = { commandCode, modelCode };
  if (command.steps) {
    const payload = operation === 'CUSTOM' ? sampleFields(ownPayload ?? []) : written;
    return { ...about, payload, result: resultOfSteps(command, metadata) };
  }
  if (operation === 'DELETE') return { ...about, payload: {}, result: { pid: SAMPLE_PID } };
  // An update names what it changes: one field tells as much as all of them.
  const payload = operation === 'UPDATE' ? Object.fromEntries(Object.entries(written).slice(0, 2)) : written;
  if (operation === 'CUSTOM') return { ...about, payload: sampleFields(ownPayload ?? []), result: record };
  const ofPayload = (of: Model, field: string) => sampleFields(writableFields(withoutField(of, field)));
  return {
    ...about,
    payload: { ...payload, ...relatedSamples(command, metadata, ofPayload) },
    result: { ...record, ...relatedSamples(command, metadata, sampleRecord) },
  };
}

/** One related record for each thing that a command does with them. */
function relatedSamples(
  { operations, relations = [] }: CommandContent,
  metadata: Snapshot,
  sampleOf: (model: Model, field: string) => Record<string, unknown>,
): Record<string, unknown> {
  const samples = relations.map((relation) => {
    const item = sampleOf(metadata.model(relation.modelCode), relation.field);
    const all = { create: item, update: { pid: SAMPLE_PID, ...item }, unlink: SAMPLE_PID, delete: SAMPLE_PID };
    const kinds = kindsOf(relation).filter((kind) => operations[0] !== 'CREATE' || kind === 'create');
    return [relation.code, Object.fromEntries(kinds.map((kind) => [kind, [all[kind]]]))] as const;
  });
  return Object.fromEntries(samples);
}

/** A record for each step, or for each key of the result that is said to be one. */
function resultOfSteps({ steps = [], result }: CommandContent, metadata: Snapshot): Record<string, unknown> {
  const ofStep = new Map(steps.map((step) => [step.id, () => sampleOfStep(step, metadata)]));
  if (!result) {
    const answered = steps.filter((step) => kindOf(step).isAnswered);
    return Object.fromEntries(answered.map((step) => [step.id, sampleOfStep(step, metadata)]));
  }
  return Object.fromEntries(
    Object.entries(result).map(([key, expression]) => {
      const step = /\bsteps\.(\w+)(\s*$|\s*:)/.exec(expression)?.[1];
      return [key, (step === undefined ? undefined : ofStep.get(step)?.()) ?? null];
    }),
  );
}

/** The record that a step writes; null for a step that writes none. */
function sampleOfStep(step: AnyCommandStep, metadata: Snapshot): unknown {
  const written = kindOf(step).modelWritten?.(step);
  return written === undefined ? null : sampleRecord(metadata.model(written));
}

/** @param modelCode whose record the samples tell of; null: of the first model that the actor may read */
function recordTypes(actor: Actor, modelCode: string | null): EventType[] {
  const { metadata, permissions } = actor;
  const model = [...metadata.models.values()].find(
    ({ code }) => (modelCode === null || code === modelCode) && permissions.has(permissionCode.recordRead(code)),
  );
  if (!model) return [];
  const { code } = model;
  const isHidden = valuesHiddenFrom(actor);
  const record = sampleRecord(model);
  const written = sampleFields(declaredFields(model));
  const command = (operation: 'CREATE' | 'UPDATE' | 'DELETE'): string =>
    [...metadata.all(COMMAND)].find(
      ([, each]) => each.modelCode === code && each.operations.includes(operation),
    )?.[0] ?? '';
  const type = (
    eventType: string,
    description: string,
    operation: 'CREATE' | 'UPDATE' | 'DELETE',
    payload: Record<string, unknown>,
    result: unknown,
  ): EventType => ({
    eventType,
    description,
    modelCode,
    commandCode: null,
    sample: visibleBodyOf(
      { commandCode: command(operation), modelCode: code, payload, result },
      originsOfRecord(code),
      isHidden,
    ),
  });
  const changed = Object.fromEntries(Object.entries(written).slice(0, 2));
  return [
    type('record.created', 'A record of any model was created', 'CREATE', written, record),
    type('record.updated', 'A record of any model was changed', 'UPDATE', changed, { ...record, version: 2 }),
    type('record.deleted', 'A record of any model was deleted', 'DELETE', {}, { pid: SAMPLE_PID }),
  ];
}

function disabledType(): EventType {
  const about = { name: 'Sample subscription', targetUrl: 'https://example.com/hook', eventType: 'crm:*' };
  const reason = '100 deliveries ran out of retries within 24 hours';
  const payload = { subscriptionPid: SAMPLE_PID, ...about, reason };
  return {
    eventType: WEBHOOK_DISABLED,
    description: 'A subscription was disabled because its deliveries failed',
    modelCode: null,
    commandCode: null,
    sample: { commandCode: WEBHOOK_DISABLED, modelCode: null, payload, result: { enabled: false } },
  };
}
