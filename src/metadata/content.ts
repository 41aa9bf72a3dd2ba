import type { AutomationContent } from './automation-content.ts';

/**
 * The configuration language (DSL): one shape per resource type. `content-schemas.ts` holds the JSON Schemas that
 * enforce these shapes; every expression in them is CEL.
 */

export const RESOURCE_TYPES = [
  'MODEL',
  'PAGE_SCHEMA',
  'COMMAND',
  'PERMISSION',
  'DATASOURCE',
  'I18N',
  'AUTOMATION',
  'ASSISTANT',
  'IM_CHANNEL',
] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

export const FIELD_TYPES = [
  'string',
  'text',
  'integer',
  'bigint',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'enum',
  'json',
  'relation',
  'file',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface FieldContent {
  code: string;
  name: string;
  type: FieldType;
  required?: boolean;
  /** No two live records of one tenant share a value. */
  unique?: boolean;
  /** What a create stores where the payload does not name the field. */
  default?: unknown;
  min?: number;
  max?: number;
  maxLength?: number;
  pattern?: string;
  /** The values of an enum. */
  values?: string[];
  /** The model whose record's pid a relation stores. */
  target?: string;
  /** Takes part in the `keyword` of a list. */
  searchable?: boolean;
  indexed?: boolean;
  /** Reading needs the permission `field:read:<model>.<field>`. */
  readPermission?: boolean;
  /** Writing needs the permission `field:write:<model>.<field>`. */
  writePermission?: boolean;
}

/** A condition of a filter, or a combination of them. Spec: "Filter condition". */
export type FilterContent =
  | { fieldName: string; operator: string; value?: unknown }
  | { and: FilterContent[] }
  | { or: FilterContent[] }
  | { not: FilterContent };

/** Which records a caller sees. Values may name the caller: `$user.pid`, `$user.username`. */
export interface RowRuleContent {
  name: string;
  /** Callers with this permission are not bound by the rule. */
  unless?: string;
  conditions: FilterContent[];
}

export interface ModelContent {
  name: string;
  fields: FieldContent[];
  rowRules?: RowRuleContent[];
}

export interface PageContent {
  name: string;
  modelCode: string;
  columns: string[];
}

export const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CUSTOM'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A condition that must hold before a command writes; otherwise the command ends with `code`. */
export interface CommandRuleContent {
  assert: string;
  message: string;
  code?: 'CONFLICT' | 'VALIDATION_ERROR';
  /** The `data.reason` of a CONFLICT (default STATE). */
  reason?: string;
  /** The field a VALIDATION_ERROR is shown at. */
  field?: string;
}

export interface CommandStepContent {
  /** Later expressions read the written record as `steps.<id>`. */
  id: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE';
  modelCode: string;
  /** The pid of the record to update or delete. */
  target?: string;
  values?: Record<string, string>;
  /** The step is left out when this is false. */
  when?: string;
}

export interface CommandContent {
  name: string;
  modelCode: string;
  operations: Operation[];
  /** A CUSTOM command works on an existing record (`targetRecordId`), read into `record`. */
  target?: boolean;
  /** The payload fields of a CUSTOM command; other operations take the model's fields. */
  payload?: FieldContent[];
  rules?: CommandRuleContent[];
  steps?: CommandStepContent[];
  /** The result of a command with steps: key -> expression. Without it: the record of every step, by step id. */
  result?: Record<string, string>;
  event?: { type: string };
  execution?: 'workflow' | 'inline';
  /** What a repeated key with another body gets: the first result (`replay`, default), or 409 (`strict`). */
  idempotency?: 'replay' | 'strict';
}

export interface PermissionContent {
  name: string;
  codes: string[];
}

export interface SortFieldContent {
  fieldName: string;
  order: 'asc' | 'desc';
}

export type DataSourceContent =
  | { name: string; kind: 'static'; rows: Record<string, unknown>[] }
  | {
      name: string;
      kind: 'model';
      modelCode: string;
      fields: string[];
      conditions?: FilterContent[];
      sortFields?: SortFieldContent[];
    }
  | { name: string; kind: 'sql'; sql: string }
  | RestSourceContent;

/** Rows that another service answers. Values of headers and parameters may name secrets: `{{secret:NAME}}`. */
export interface RestSourceContent {
  name: string;
  kind: 'rest';
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  query?: Record<string, string>;
  /** Where in the answer the rows are, as keys joined by dots; else the answer is the rows. */
  rowsPath?: string;
  /** What a row of ours has: name -> where in theirs, as keys joined by dots; else theirs as it is. */
  fields?: Record<string, string>;
  timeoutMs?: number;
}

/** Texts of one language. Where a message is `$i18n:<key>`, callers read the text of their language. */
export interface I18nContent {
  /** BCP 47, such as `zh-CN`. */
  locale: string;
  messages: Record<string, string>;
}

/** What an assistant may do for its caller, who must be allowed to do it, too: codes of models and commands. */
export interface AssistantToolsContent {
  list?: string[];
  read?: string[];
  describe?: string[];
  commands?: string[];
}

export interface AssistantContent {
  name: string;
  systemPrompt: string;
  /** `builtin` needs no provider of models; `default` is the operator's (`AI_BASE_URL`), or the built-in one. */
  provider?: 'default' | 'builtin';
  /** The provider's name of the model; without it `AI_MODEL`. */
  model?: string;
  tools: AssistantToolsContent;
  /** So often one answer may use tools. */
  maxTurns?: number;
}

/** A channel of instant messages. Whose it is, and its secret, is a binding: that is no configuration. */
export interface ImChannelContent {
  name: string;
  kind: 'json' | 'slack';
  /** The code of the assistant that answers. */
  assistant: string;
}

export interface ContentByType {
  MODEL: ModelContent;
  PAGE_SCHEMA: PageContent;
  COMMAND: CommandContent;
  PERMISSION: PermissionContent;
  DATASOURCE: DataSourceContent;
  I18N: I18nContent;
  AUTOMATION: AutomationContent;
  ASSISTANT: AssistantContent;
  IM_CHANNEL: ImChannelContent;
}

export type ResourceContent = ContentByType[ResourceType];
