import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { Identity } from '../../../platform/auth/requests/actor.ts';
import type { ReplyEndListener } from './reply-store.ts';
import type { Conversation, Message } from '../conversations/conversation.entity.ts';
import type { IdentityResolver } from '../conversations/identity-resolver.ts';

/** Users' own conversations, and those in channels of a feature that registers itself. */
export class ConversationChannels implements IdentityResolver, ReplyEndListener {
  readonly #users: IdentityResolver;
  #identities: IdentityResolver | null = null;
  #listener: ReplyEndListener | null = null;

  constructor(users: IdentityResolver) {
    this.#users = users;
  }

  /**
   * @param identities finds whose rights a conversation in a channel has
   * @param listener takes part in the transaction that ends a reply
   */
  register(identities: IdentityResolver, listener: ReplyEndListener): void {
    this.#identities = identities;
    this.#listener = listener;
  }

  async resolve(conversation: Conversation): Promise<Identity | null> {
    return (conversation.channel === null ? this.#users : this.#identities)?.resolve(conversation) ?? null;
  }

  async replyEnded(em: PlatformEntityManager, conversation: Conversation, reply: Message) {
    return this.#listener?.replyEnded(em, conversation, reply) ?? null;
  }
}
