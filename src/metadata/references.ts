import type { FieldErrors } from '../errors/application-error.ts';
import type { AutomationContent } from './automation-content.ts';
import { automationReferences } from './automation-references.ts';
import type {
  AssistantContent,
  CommandContent,
  DataSourceContent,
  ImChannelContent,
  ModelContent,
  PageContent,
  ResourceContent,
  ResourceType,
} from './content.ts';
import type { Model } from './model.ts';
import type { Snapshot, SnapshotResource } from './snapshot.ts';

/** Something a resource cannot work without. */
export interface Reference {
  /** Where in the content it is named. */
  readonly path: string;
  readonly resourceType: ResourceType;
  readonly code: string;
  /** A field of the named model, where the reference is to a field. */
  readonly field?: string;
}

/** Everything that a resource refers to, in the order of its content. */
export function referencesOf(resourceType: ResourceType, content: ResourceContent): Reference[] {
  if (resourceType === 'MODEL') return modelReferences(content as ModelContent);
  if (resourceType === 'PAGE_SCHEMA') return pageReferences(content as PageContent);
  if (resourceType === 'COMMAND') return commandReferences(content as CommandContent);
  if (resourceType === 'DATASOURCE') return dataSourceReferences(content as DataSourceContent);
  if (resourceType === 'AUTOMATION') return automationReferences(content as AutomationContent);
  if (resourceType === 'ASSISTANT') return assistantReferences(content as AssistantContent);
  if (resourceType === 'IM_CHANNEL') {
    return [toResource('assistant', 'ASSISTANT', (content as ImChannelContent).assistant)];
  }
  return [];
}

/** What a resource refers to and the environment lacks: path in the content -> problem. */
export function danglingReferences(environment: Snapshot, { resourceType, content }: SnapshotResource): FieldErrors {
  const problems: FieldErrors = {};
  for (const { path, resourceType: referred, code, field } of referencesOf(resourceType, content)) {
    if (referred !== 'MODEL') {
      if (!environment.has(referred, code)) problems[path] ??= unknown(referred, code);
      continue;
    }
    const model = environment.models.get(code);
    if (!model) problems[path] ??= `${code} is not a model`;
    else if (field !== undefined && !hasField(model, field, path)) problems[path] ??= `is not a field of ${code}`;
  }
  return problems;
}

function unknown(resourceType: ResourceType, code: string): string {
  if (resourceType === 'COMMAND') return `${code} is not a command`;
  if (resourceType === 'PERMISSION') return `${code} is not a role`;
  return resourceType === 'ASSISTANT' ? `${code} is not an assistant` : `${code} is not a resource`;
}

/** System fields can be shown, but no step may write them. */
function hasField(model: Model, field: string, path: string): boolean {
  const known = model.fields.get(field);
  return path.includes('.values.') ? Boolean(known?.content) : known !== undefined;
}

const toModel = (path: string, code: string, field?: string): Reference => ({
  path: `content.${path}`,
  resourceType: 'MODEL',
  code,
  ...(field !== undefined && { field }),
});

const toResource = (path: string, resourceType: ResourceType, code: string): Reference => ({
  path: `content.${path}`,
  resourceType,
  code,
});

function assistantReferences({ tools: { list = [], read = [], describe = [], commands = [] } }: AssistantContent) {
  const toModels = Object.entries({ list, read, describe }).flatMap(([tool, codes]) =>
    codes.map((code, index) => toModel(`tools.${tool}.${index}`, code)),
  );
  return [...toModels, ...commands.map((code, index) => toResource(`tools.commands.${index}`, 'COMMAND', code))];
}

function modelReferences({ fields }: ModelContent): Reference[] {
  return fields.flatMap(({ target }, index) =>
    target === undefined ? [] : [toModel(`fields.${index}.target`, target)],
  );
}

function pageReferences({ modelCode, columns }: PageContent): Reference[] {
  return [
    toModel('modelCode', modelCode),
    ...columns.map((column, index) => toModel(`columns.${index}`, modelCode, column)),
  ];
}

function commandReferences({ modelCode, steps = [] }: CommandContent): Reference[] {
  return [
    toModel('modelCode', modelCode),
    ...steps.flatMap((step, index) => [
      toModel(`steps.${index}.modelCode`, step.modelCode),
      ...Object.keys(step.values ?? {}).map((field) =>
        toModel(`steps.${index}.values.${field}`, step.modelCode, field),
      ),
    ]),
  ];
}

function dataSourceReferences(content: DataSourceContent): Reference[] {
  if (content.kind === 'sql') {
    const tables = new Set([...content.sql.matchAll(/\bmt_([a-z][a-z0-9_]*)/gi)].map(([, code]) => code as string));
    return [...tables].map((code) => toModel('sql', code.toLowerCase()));
  }
  return content.kind === 'model' ? [toModel('modelCode', content.modelCode)] : [];
}
