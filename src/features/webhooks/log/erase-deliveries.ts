import type { EventEraser } from '../../../platform/events/event-erasers.ts';

/** Erases sent bodies and receivers' answers. A delivery without a body sends the event's. */
export const eraseDeliveries: EventEraser = async (transaction, eventPids) => {
  await transaction.query(
    `with erased as (
       update platform.webhook_delivery set body = null where event_pid = any($1) returning pid)
     update platform.webhook_attempt set response_body = null where delivery_pid in (select pid from erased)`,
    [eventPids],
  );
};
