import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import { conflict, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Text } from '../../../foundation/i18n/text.ts';
import { eventsMatching } from '../../commands/definition/command-events.ts';
import { modelsOf } from '../../commands/definition/command-type.ts';
import { isSentByAutomation } from '../../automations/definition/automation-events.ts';
import { problemOfFilterTypes, typesOfEvents } from '../../commands/definition/event-value-types.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { WEBHOOK_DISABLED } from '../deliveries/auto-disable.ts';
import { CHANNEL_REPLY } from '../../../platform/events/audience/channel-replies.ts';
import { namesInFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType, RECORD_EVENT_TYPES } from '../../../platform/metadata/resources/event-types.ts';
import type { SubscriptionSettings } from './subscription-request.ts';

/** What a subscription listens for. */
export type Interest = Pick<SubscriptionSettings, 'eventType' | 'modelCode' | 'filterExpression'>;

/** Event types that no command has. */
const GENERIC_EVENT_TYPES = [...RECORD_EVENT_TYPES, WEBHOOK_DISABLED];

/** Problems of what a subscription listens for, in the environment. */
export function checkInterest(
  { modelCode, eventType }: Pick<Interest, 'modelCode'> & Partial<Interest>,
  metadata: Snapshot,
  errors: FieldErrors,
): void {
  if (eventType === CHANNEL_REPLY) errors.eventType = 'is for the reply URLs of channels alone';
  if (modelCode !== null && !metadata.models.has(modelCode)) errors.modelCode = 'is not a model of this environment';
}

/**
 * @throws CONFLICT (CHANNEL): the channel's binding says where replies go, and with which rights they read
 */
export function refuseOfChannel({ eventType }: Pick<Interest, 'eventType'>): void {
  if (eventType === CHANNEL_REPLY) throw conflict('CHANNEL', 'It belongs to a channel: change the binding of that');
}

/**
 * A subscription reads with the rights of its owner, so it must not hear of what the owner may not read.
 * @throws FORBIDDEN with `data.permission`: `record:read:<model>`, or `field:read:<model>.<field>` for a
 *   field in the filter
 */
export function authorizeInterest(actor: Actor, interest: Interest): void {
  const { metadata, permissions } = actor;
  const named = namedModels(interest, metadata);
  for (const code of named) authorize(actor, permissionCode.recordRead(code));
  if (interest.filterExpression === null) return;

  const readable = [...metadata.models.values()].filter(({ code }) => permissions.has(permissionCode.recordRead(code)));
  const models = named.size > 0 ? readable.filter(({ code }) => named.has(code)) : readable;
  for (const name of namesInFilter(interest.filterExpression)) {
    const missing = models.map((model) => missingPermission(model, name, actor));
    // Of many possible models one that may be read is enough: matching never sees the others' values.
    const refused = named.size > 0 ? missing.some(isPermission) : missing.every((code) => code !== null);
    const permission = missing.find(isPermission);
    if (refused && permission !== undefined) authorize(actor, permission);
  }
}

/** What is allowed but probably not meant. */
export function warningsFor(settings: SubscriptionSettings, metadata: Snapshot) {
  const { eventType, modelCode, filterExpression: filter, targetUrl } = settings;
  const warnings: Text[] = [];
  const isGeneric = GENERIC_EVENT_TYPES.some((type) => matchesEventType(eventType, type));
  const isEmitted = eventsMatching(eventType, null, metadata).length > 0 || isSentByAutomation(eventType, metadata);
  if (!isGeneric && !isEmitted) {
    warnings.push(text('Nothing in this environment emits {type}: nothing will be sent', { type: eventType }));
  }
  const events = filter === null ? null : typesOfEvents(eventType, modelCode, metadata);
  const problem = filter !== null && events ? problemOfFilterTypes(filter, events) : null;
  if (problem) warnings.push(text('The filter {problem}', { problem }));
  if (!targetUrl.toLowerCase().startsWith('https:'))
    warnings.push(text('The address is not HTTPS: what is sent can be read on its way', {}));
  return warnings;
}

/** The models whose records the subscription is sure to hear of. */
function namedModels({ eventType, modelCode }: Interest, metadata: Snapshot): ReadonlySet<string> {
  const events = eventType.endsWith('*') ? [] : eventsMatching(eventType, modelCode, metadata);
  return new Set([
    ...(modelCode === null ? [] : [modelCode]),
    ...events.flatMap(({ command }) => [...modelsOf(command)]),
  ]);
}

/** Null: the field may be read. Undefined: the model has no such field. */
function missingPermission(model: Model, field: string, { permissions }: Actor): string | null | undefined {
  const permission = model.fields.get(field)?.readPermission;
  return typeof permission === 'string' && permissions.has(permission) ? null : permission;
}

function isPermission(missing: string | null | undefined): missing is string {
  return typeof missing === 'string';
}
