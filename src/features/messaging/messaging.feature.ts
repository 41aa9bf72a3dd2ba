import { InstantMessages, replyDelivery } from './im.service.ts';
import { ChannelBindings, orphanedChannels, problemOfBoundChannel } from './channel-bindings.service.ts';
import { CHANNEL_SECRETS, ChannelBindingEntity } from './channel-binding.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { type AssistantFeature } from '../assistant/assistant.feature.ts';
import { type WebhooksFeature } from '../webhooks/webhooks.feature.ts';
import { sealedStore } from '../../foundation/secrets/sealed-store.ts';
import { messagingEndpoints } from './messaging.endpoints.ts';
import { IM_CHANNEL } from './channel-type.ts';
import { MESSAGING_TEXTS } from './messaging.texts.ts';

/** Assistants in channels of instant messages. Spec: "Other events and streams". */
export const messaging = {
  texts: [MESSAGING_TEXTS],
  entities: [ChannelBindingEntity],
  resourceTypes: () => [{ ...IM_CHANNEL, problemOfRemoval: problemOfBoundChannel }],

  create(foundation: Foundation, platform: Platform, assistant: AssistantFeature, webhooks: WebhooksFeature) {
    const { config, orm, box, outbound } = foundation;
    const { snapshots, streams, limits } = platform;
    const { conversations, channels } = assistant;
    const bindings = new ChannelBindings(orm, snapshots, box, outbound, webhooks.destinations);
    channels.register(bindings, replyDelivery(snapshots, webhooks.destinations));
    const messages = new InstantMessages(orm, snapshots, bindings, conversations, limits);
    return {
      bindings,
      findOrphaned: orphanedChannels(snapshots),
      sealed: [sealedStore(box, CHANNEL_SECRETS)],
      endpoints: messagingEndpoints(messages, bindings, conversations, streams, config.environment),
    };
  },
};
