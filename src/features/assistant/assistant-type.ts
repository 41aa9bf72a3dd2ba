import { Type, type Static } from 'typebox';
import { closedObject, NAME } from '../../platform/metadata/content/schema-parts.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { toModel, toResource, type ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { COMMAND } from '../commands/definition/command-type.ts';

const CODES = Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200, uniqueItems: true }));

/** What an assistant may do for its caller, within the caller's permissions: codes of models and commands. */
const TOOLS = closedObject({ list: CODES, read: CODES, describe: CODES, commands: CODES });
export type AssistantToolsContent = Static<typeof TOOLS>;

const SCHEMA = closedObject({
  name: NAME,
  systemPrompt: Type.String({ minLength: 1, maxLength: 20_000 }),
  provider: Type.Optional(
    Type.Enum(['default', 'builtin'], {
      description: '`builtin` needs no provider of models; `default` is `AI_BASE_URL`, or the built-in one',
    }),
  ),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "The provider's name of the model; else `AI_MODEL`" }),
  ),
  tools: TOOLS,
  maxTurns: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'Uses of tools in one answer' })),
});
export type AssistantContent = Static<typeof SCHEMA>;

/** Assistants: prompts, with the tools that they may use. */
export const ASSISTANT: ResourceType<AssistantContent, AssistantContent> = {
  name: 'ASSISTANT',
  codePattern: '^[a-z][a-z0-9_]{0,63}$',
  schema: SCHEMA,
  notFound: 'There is no such assistant',
  unknownCode: '{code} is not an assistant',
  keep: ({ content }) => content,
  permissionCodes: (code) => [permissionCode.assistantUse(code)],
  references: referencesOf,
};

function referencesOf({ tools: { list = [], read = [], describe = [], commands = [] } }: AssistantContent) {
  const toModels = Object.entries({ list, read, describe }).flatMap(([tool, codes]) =>
    codes.map((code, index) => toModel(`tools.${tool}.${index}`, code)),
  );
  return [...toModels, ...commands.map((code, index) => toResource(`tools.commands.${index}`, COMMAND, code))];
}
