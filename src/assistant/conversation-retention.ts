import { sqlRunnerOf, type PlatformOrm } from '../database/orm.ts';
import type { Retention } from '../database/retention.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import { conversationKey } from './reply-events.ts';

/** The most that goes in one statement; a conversation with more messages than that goes alone. */
const BATCH = { conversations: 1_000, messages: 10_000 };

/** Forgets conversations in which nobody has said anything for long, with all that was said. */
export class ConversationRetention implements Retention {
  readonly #orm: PlatformOrm;
  readonly #streams: StreamWriter;
  readonly #days: number;
  readonly #batch: typeof BATCH;

  /** @param days 0: conversations are kept */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number, batch = BATCH) {
    this.#orm = orm;
    this.#streams = streams;
    this.#days = days;
    this.#batch = batch;
  }

  async purgeBatch(): Promise<boolean> {
    if (this.#days === 0) return false;
    // Somebody who goes on with one holds it, and then it is young.
    const gone = await sqlRunnerOf(this.#orm.em.fork()).query<{ pid: string }>(
      `with old as (
         select c.pid, c.updated_at, (select count(*) from platform.ai_message m where m.conversation_pid = c.pid) as messages
         from platform.ai_conversation c
         where c.updated_at < now() - $1 * interval '1 day'
           and not exists (select 1 from platform.ai_message m where m.conversation_pid = c.pid
             and m.status in ('PENDING', 'RUNNING', 'WAITING') and m.expires_at > now())
         order by c.updated_at limit $2 for update of c skip locked),
       counted as (select pid, sum(messages) over (order by updated_at, pid) - messages as before from old)
       delete from platform.ai_conversation where pid in (select pid from counted where before < $3) returning pid`,
      [this.#days, this.#batch.conversations, this.#batch.messages],
    );
    // What stays of them expires by itself.
    if (gone.length > 0)
      await this.#streams.forget(...gone.map(({ pid }) => conversationKey(pid))).catch(() => undefined);
    return gone.length > 0;
  }
}
