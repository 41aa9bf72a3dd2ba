import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { StreamKey } from '../../../platform/streams/stream-key.ts';
import type { StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { StreamedRetention } from '../../../platform/streams/streamed-retention.ts';
import { conversationKey } from './reply-events.ts';

/** Limits of one statement. A conversation with more messages is deleted alone. */
const BATCH = { conversations: 1_000, messages: 10_000 };

/** Deletes conversations without a recent message, with their messages. */
export class ConversationRetention extends StreamedRetention {
  readonly tables = ['ai_conversation', 'ai_message', 'ai_confirmation'];
  readonly #batch: typeof BATCH;

  /** @param days 0 keeps conversations for ever */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number, batch = BATCH) {
    super(orm, streams, days);
    this.#batch = batch;
  }

  protected async deleteBatch(sql: SqlRunner, days: number): Promise<StreamKey[]> {
    // A conversation that is being continued is locked, and recent afterwards.
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
