import { Type, type Static } from 'typebox';
import { closedObject, NAME } from '../../platform/metadata/content/schema-parts.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { toResource, type ResourceType } from '../../platform/metadata/resources/resource-type.ts';
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
  references: ({ assistant }) => [toResource('assistant', ASSISTANT, assistant)],
};
