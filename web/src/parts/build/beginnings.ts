import type { ResourceType } from '../promotions/promotion-words.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { fieldsOf, freeCode, type FieldDraft } from './model-content.ts';
import type { Content } from './yaml-text.ts';

interface About {
  readonly code: string;
  readonly name: string;
  /** Empty: none. */
  readonly app: string;
}

interface OfModel {
  readonly code: string;
  readonly fields: readonly FieldDraft[];
}

/** Columns that a list begins with. */
const COLUMNS = 6;
const NARROW: ReadonlySet<string | undefined> = new Set(['text', 'json', 'file']);

/** The least that a resource of a type says, to go on from. */
export function beginningOf(type: ResourceType, { code, name, app }: About, model: OfModel | null): Content {
  const common = { ...(app !== '' && { app }), name };
  const fields = model?.fields ?? [];
  const beginnings: Readonly<Record<ResourceType, Content>> = {
    MODEL: { ...common, fields: [{ code: 'name', name: 'Name', type: 'string', required: true, searchable: true }] },
    PAGE_SCHEMA: { ...common, modelCode: model?.code ?? '', columns: columnsOf(fields) },
    COMMAND: { ...common, modelCode: model?.code ?? '', operations: ['CREATE', 'UPDATE'] },
    PERMISSION: { ...common, codes: [] },
    DATASOURCE: { ...common, kind: 'sql', sql: 'select 1 as one' },
    VIEW: { ...common, pageKey: '' },
    I18N: {
      ...(app !== '' && { app }),
      locale: localeOf(code),
      messages: { [`${app.replaceAll('-', '_') || 'app'}.title`]: name },
    },
    AUTOMATION: { ...common, trigger: { type: 'manual' }, steps: [{ id: 'pause', type: 'wait', seconds: 60 }] },
    ASSISTANT: { ...common },
    IM_CHANNEL: { ...common },
    DASHBOARD: { ...common, tiles: [] },
  };
  return beginnings[type];
}

/** The language that a code such as `crm.zh-cn` ends with. */
function localeOf(code: string): string {
  const [, ending = 'en'] = /\.([a-z]{2}(?:-[a-z]{2})?)$/i.exec(code) ?? [];
  return Intl.getCanonicalLocales(ending)[0] ?? 'en';
}

function columnsOf(fields: readonly FieldDraft[]): string[] {
  const wide = fields.filter(({ type }) => !NARROW.has(type)).slice(0, COLUMNS);
  return wide.flatMap(({ code }) => code ?? []);
}

const OPERATIONS = {
  CREATE: 'New {name}',
  UPDATE: 'Edit {name}',
  DELETE: 'Delete {name}',
} as const satisfies Record<string, TextKey>;

/** What English calls several of them. Names in other languages are left to their authors. */
export function pluralOf(name: string): string {
  if (!/[a-z]$/i.test(name)) return name;
  if (/[^aeiou]y$/i.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}

/** A model with all that people need to work with it: a page, commands, a role. */
export function starterOf(app: string, code: string, pageName: string, content: Content) {
  const fields = fieldsOf(content);
  const name = typeof content.name === 'string' ? content.name : code;
  const model = { code, fields };
  const pageKey = freeCode(`${code}s`, new Set([code]));
  const commands = (['CREATE', 'UPDATE', 'DELETE'] as const).map((operation) => {
    const about = {
      code: `${app.replaceAll('-', '_').slice(0, 32)}:${operation.toLowerCase()}_${code}`,
      name: t(OPERATIONS[operation], { name }),
      app,
    };
    const begun = beginningOf('COMMAND', about, model);
    return { resourceType: 'COMMAND' as const, code: about.code, content: { ...begun, operations: [operation] } };
  });
  const role = `${app}_user`.toUpperCase().replaceAll('-', '_');
  const codes = [`record:read:${code}`, ...commands.map((command) => `command:execute:${command.code}`)];
  return [
    { resourceType: 'MODEL' as const, code, content: { app, ...content } },
    {
      resourceType: 'PAGE_SCHEMA' as const,
      code: pageKey,
      content: beginningOf('PAGE_SCHEMA', { code: pageKey, name: pageName, app }, model),
    },
    ...commands,
    {
      resourceType: 'PERMISSION' as const,
      code: role,
      content: { app, name: t('Works with: {name}', { name }), codes },
    },
  ];
}
