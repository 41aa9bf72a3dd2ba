import { Type, type Static } from 'typebox';
import { closedObject, NAME } from '../../platform/metadata/content/schema-parts.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { toResource } from '../../platform/metadata/resources/references.ts';
import type { ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { text } from '../../foundation/i18n/text.ts';
import { TenantEntity } from '../../platform/auth/accounts/tenant.entity.ts';
import { ChannelBindingEntity } from './channel-binding.entity.ts';
import { ASSISTANT } from '../assistant/assistant-type.ts';

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Enum(['json', 'slack']),
  assistant: Type.String({ maxLength: 64, description: 'The code of the assistant that answers' }),
});
export type ImChannelContent = Static<typeof SCHEMA>;

/**
 * Channels of instant messages. A binding, which is no configuration, says which tenant has one, and its
 * secret.
 */
export const IM_CHANNEL: ResourceType<ImChannelContent, ImChannelContent> = {
  name: 'IM_CHANNEL',
  codePattern: '^[a-z][a-z0-9_]{0,63}$',
  schema: SCHEMA,
  notFound: 'There is no such channel',
  keep: ({ content }) => content,
  permissionCodes: (code) => [permissionCode.imRead(code)],
  async problemOfRemoval(em, code, environment) {
    const binding = await em.findOne(ChannelBindingEntity, { environment, channelCode: code });
    if (!binding) return null;
    const { name: tenant } = await em.findOneOrFail(TenantEntity, binding.tenantId);
    return text('The tenant {tenant} has bound the channel {code}', { tenant, code });
  },
  references: ({ assistant }) => [toResource('assistant', ASSISTANT, assistant)],
};
