import { sqlRunnerOf, type PlatformOrm } from '../../../foundation/database/orm.ts';
import { deleteOldEvents } from '../../../platform/events/outbox/outbox.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';

const BATCH = 1_000;

/**
 * Forgets what is older than the webhook log is to be: ended deliveries with their attempts, recoveries, and
 * events.
 */
export class LogRetention implements Retention {
  readonly tables = ['webhook_delivery', 'webhook_attempt', 'webhook_recovery', 'event'];
  readonly #orm: PlatformOrm;
  readonly #days: number;

  constructor(orm: PlatformOrm, days: number) {
    this.#orm = orm;
    this.#days = days;
  }

  async purgeBatch(): Promise<boolean> {
    const runner = sqlRunnerOf(this.#orm.em.fork());
    const old = `created_at < now() - $1 * interval '1 day'`;
    const deliveries = await runner.query(
      `delete from platform.webhook_delivery where id in (select id from platform.webhook_delivery
         where ${old} and status not in ('PENDING', 'RETRYING') order by created_at limit ${BATCH}) returning 1`,
      [this.#days],
    );
    // An event stays for as long as something has to be sent of it.
    const events = await deleteOldEvents(
      runner,
      this.#days,
      BATCH,
      (pid) => `exists (select 1 from platform.webhook_delivery d where d.event_pid = ${pid})`,
    );
    await runner.query(`delete from platform.webhook_recovery where ${old} and status <> 'RUNNING'`, [this.#days]);
    return deliveries.length === BATCH || events === BATCH;
  }
}
