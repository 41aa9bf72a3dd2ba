import type { Actor } from '../auth/actor.ts';
import type { Transaction } from '../database/pool.ts';
import { hiddenFields, modelsOf, withoutFields } from '../metadata/hidden-fields.ts';
import { ADMIN_METADATA, permissionCode } from '../metadata/permission-codes.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import { bindingRules } from '../records/row-rules.ts';
import { isVisible } from '../records/row-visibility.ts';
import { RECORD_EVENT_TYPES } from '../events/record-events.ts';
import type { EventBody } from '../events/outbox.ts';

/** An event as far as it matters who may read it. */
export interface ReadableEvent {
  readonly event_type: string;
  readonly command_code: string;
  readonly model_code: string;
  readonly record_pid: string | null;
  readonly body: string;
}

/** Whose roles a subscription reads with. */
export interface SubscriptionReader {
  readonly tenantId: string;
  readonly createdBy: string;
  readonly createdByName: string;
  readonly roles: readonly string[];
}

/** A subscription reads as whoever saved it last. */
export function readerOf(subscription: SubscriptionReader, metadata: Snapshot): Actor {
  const { createdBy: userPid, createdByName: username, tenantId, roles } = subscription;
  return { userId: '', userPid, username, tenantId, roles, permissions: metadata.permissionsOf(roles), metadata };
}

export interface VisibleBody {
  /** The text to send where it differs from the event's own. */
  readonly text: string | null;
  body(): EventBody;
}

/**
 * What a reader may see of an event; null when that is nothing. They need `record:read` on every model that the event has
 * records of; fields they may not read are left out, and events of records that a row rule hides from them are not theirs.
 */
export async function visibleBody(
  transaction: Transaction,
  event: ReadableEvent,
  reader: Actor,
): Promise<VisibleBody | null> {
  const { metadata, permissions } = reader;
  const command = metadata.commands.get(event.command_code);
  const isOfRecord = (RECORD_EVENT_TYPES as readonly string[]).includes(event.event_type);
  const models = new Set(command && !isOfRecord ? modelsOf(command) : []);
  if (event.model_code !== '') models.add(event.model_code);
  // What designers do is told to those who may do it, too.
  if (event.event_type.startsWith('meta:') && !permissions.has(ADMIN_METADATA)) return null;
  for (const code of models) {
    if (!permissions.has(permissionCode.recordRead(code))) return null;
    const model = metadata.models.get(code);
    if (!model || bindingRules(model, reader).length === 0) continue;
    // Whether a rule hides a record can be asked of the record that the event tells of; of others it stays unknown.
    if (code !== event.model_code || event.record_pid === null) return null;
    if (!(await isVisible(transaction, model, reader, event.record_pid))) return null;
  }
  const hidden = hiddenFields(models, metadata, permissions);
  const whole = (): EventBody => JSON.parse(event.body) as EventBody;
  if (hidden.size === 0) return { text: null, body: whole };
  const body = whole();
  const visible: EventBody = {
    ...body,
    payload: withoutFields(body.payload, hidden) as EventBody['payload'],
    result: withoutFields(body.result, hidden),
  };
  return { text: JSON.stringify(visible), body: () => visible };
}
