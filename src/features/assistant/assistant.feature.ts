import { ConversationsService, conversationRetention } from './conversations/conversations.service.ts';
import { assistantActivities } from '../../../activities/assistant.activities.ts';
import { ConversationEntity, MessageEntity, ConfirmationEntity } from './conversations/conversation.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { type RecordsFeature } from '../records/records.feature.ts';
import { type CommandsFeature } from '../commands/commands.feature.ts';
import { ToolRunner } from './tools/tool-runner.ts';
import { OpenAiProvider } from './providers/openai-provider.ts';
import { BuiltinProvider } from './providers/builtin/builtin-provider.ts';
import { ChatStarter, restoreReplies } from './conversations/chat-starter.ts';
import { ConversationChannels } from './replies/conversation-channels.ts';
import { userIdentityResolver } from './conversations/identity-resolver.ts';
import { ReplyGenerator } from './replies/reply-generator.ts';
import { ReplyMaker } from './replies/reply-maker.ts';
import { ReplyStore } from './replies/reply-store.ts';
import { Prompter } from './replies/prompter.ts';
import { assistantEndpoints } from './assistant.endpoints.ts';
import { ASSISTANT } from './assistant-type.ts';
import { ASSISTANT_TEXTS } from './assistant.texts.ts';

/** Conversations with assistants. Spec: `/api/ai/<assistant>/chat/stream`. */
export const assistant = {
  texts: [ASSISTANT_TEXTS],
  entities: [ConversationEntity, MessageEntity, ConfirmationEntity],
  resourceTypes: () => [ASSISTANT],

  create(foundation: Foundation, platform: Platform, records: RecordsFeature, commands: CommandsFeature) {
    const { config, logger, orm, temporal } = foundation;
    const { snapshots, streams, streamWriter } = platform;
    const tools = new ToolRunner({ records: records.service, commands: commands.service });
    const providers = { configured: config.ai && new OpenAiProvider(config.ai), builtin: new BuiltinProvider() };
    const starter = new ChatStarter(temporal);
    const conversations = new ConversationsService(orm, streamWriter, starter);
    const channels = new ConversationChannels(userIdentityResolver(orm));
    const store = new ReplyStore(orm, channels);
    const generator = new ReplyGenerator(store, channels, snapshots, tools, providers);
    const replies = new ReplyMaker(store, generator, streamWriter, logger);
    return {
      conversations,
      channels,
      prompter: new Prompter(tools, providers),
      endpoints: assistantEndpoints(conversations, streams),
      activities: assistantActivities(replies),
      restore: () => restoreReplies(orm, starter),
      retention: [conversationRetention(orm, streamWriter, config.retentionDays.conversations)],
    };
  },
};

export type AssistantFeature = ReturnType<typeof assistant.create>;
