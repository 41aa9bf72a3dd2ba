import type { PlatformOrm } from '../database/orm.ts';
import type { SqlRunner } from '../database/pool.ts';
import type { StreamKey } from '../streams/stream-key.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import { StreamedRetention } from '../streams/streamed-retention.ts';
import { conversationKey } from './reply-events.ts';

/** The most that goes in one statement; a conversation with more messages than that goes alone. */
const BATCH = { conversations: 1_000, messages: 10_000 };

/** Forgets conversations in which nobody has said anything for long, with all that was said. */
export class ConversationRetention extends StreamedRetention {
  readonly #batch: typeof BATCH;

  /** @param days 0: conversations are kept */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number, batch = BATCH) {
    super(orm, streams, days);
    this.#batch = batch;
  }

  protected async forget(sql: SqlRunner, days: number): Promise<StreamKey[]> {
    // Somebody who goes on with one holds it, and then it is young.
    const gone = await sql.query<{ pid: string }>(
      `with old as (
         select c.pid, c.updated_at, (select count(*) from platform.ai_message m where m.conversation_pid = c.pid) as messages
         from platform.ai_conversation c
         where c.updated_at < now() - $1 * interval '1 day'
           and not exists (select 1 from platform.ai_message m where m.conversation_pid = c.pid
             and m.status in ('PENDING', 'RUNNING', 'WAITING') and m.expires_at > now())
         order by c.updated_at limit $2 for update of c skip locked),
       counted as (select pid, sum(messages) over (order by updated_at, pid) - messages as before from old)
       delete from platform.ai_conversation where pid in (select pid from counted where before < $3) returning pid`,
      [days, this.#batch.conversations, this.#batch.messages],
    );
    return gone.map(({ pid }) => conversationKey(pid));
  }
}
