import { translateName, type Language } from '../../foundation/i18n/languages.ts';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { FieldContent } from '../../platform/metadata/field-types/field-content.ts';
import { isGenerated, type FieldOptions } from '../../platform/metadata/field-types/field-options.ts';
import type { JsonSchema } from '../../platform/metadata/field-types/field-type.ts';
import { FIELD_TYPES, type FieldType } from '../../platform/metadata/field-types/field-types.ts';
import { payloadSchemaOf } from '../../platform/metadata/field-types/payload-schema.ts';
import { enumOptions } from '../../platform/metadata/models/enum-options.ts';
import type { ManyToManyContent } from '../../platform/metadata/models/model-content.ts';
import { withoutField, type Field, type Model } from '../../platform/metadata/models/model.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { ASSISTANT } from '../assistant/assistant-type.ts';
import { AUTOMATION } from '../automations/definition/automation-type.ts';
import type { CommandContent } from '../commands/definition/command-content.ts';
import { payloadFieldsOfAll } from '../commands/definition/payload-fields.ts';
import { COMMAND } from '../commands/definition/command-type.ts';
import { relatedSchema } from '../commands/definition/related-types.ts';
import { commandsOfPage } from '../commands/intake/record-commands.ts';
import { DASHBOARD } from '../dashboards/dashboard-type.ts';
import { DATASOURCE } from '../datasources/datasource-type.ts';
import { paramsOf } from '../datasources/kinds/kinds.ts';
import { displayFieldOf } from '../../platform/records/display-field.ts';
import { operatorsOf } from '../../platform/records/conditions/filter-condition.ts';
import { namesOfParams } from '../../platform/records/conditions/saved-conditions.ts';
import { joinOf } from '../../platform/records/conditions/related-fields.ts';
import { PAGE_SCHEMA } from '../../platform/records/pages/page-type.ts';
import { usableView } from '../records/views/views.service.ts';
import { VIEW } from '../records/views/view-type.ts';
import type { Page } from '../../platform/records/pages/page-content.ts';
import { rulesShown } from './rules-shown.ts';
import type { App } from './app-schema.ts';

/** A field of a model, of a payload, or of the items of a list in one. */
type DescribedField = FieldOptions & { readonly type: FieldType; readonly fields?: readonly DescribedField[] };

type PartKey = Exclude<keyof App, 'environment' | 'metadataVersion' | 'timeZone'>;
type Part<K extends PartKey> = App[K][number];
type ModelRelation = NonNullable<Part<'models'>['relations']>[number];

/** What an actor may use, as JSON. */
export async function describeApp(actor: Actor, language: Language): Promise<string> {
  const { environment, version: metadataVersion } = actor.metadata;
  const parts = [JSON.stringify({ environment, metadataVersion, timeZone: actor.timeZone }).slice(0, -1)];
  for (const [key, items] of Object.entries(new AppReader(actor, language).parts())) {
    const written: string[] = [];
    for (const item of items) {
      await letOthersRun();
      written.push(JSON.stringify(item));
    }
    parts.push(`"${key}":[${written.join(',')}]`);
  }
  return `${parts.join(',')}}`;
}

/** The configuration as its user may see it: only parts that they may use. */
export class AppReader {
  readonly #actor: Actor;
  readonly #language: Language;

  constructor(actor: Actor, language: Language) {
    this.#actor = actor;
    this.#language = language;
  }

  /** Each part by its key, one entry at a time. */
  parts(): { readonly [K in PartKey]: Iterable<Part<K>> } {
    return {
      pages: this.#all(PAGE_SCHEMA, (code, page) => this.#page(code, page)),
      models: this.#models(),
      commands: this.#all(COMMAND, (code, command) => this.#command(code, command)),
      dataSources: this.#all(DATASOURCE, (code, source) =>
        this.#may(permissionCode.dataSourceRead(code))
          ? { code, name: this.#name(source.name), paramsSchema: this.#schema(paramsOf(source), true) }
          : null,
      ),
      views: this.#all(VIEW, (_code, view) => {
        const usable = usableView(view, this.#actor);
        return usable && { ...usable, name: this.#name(usable.name) };
      }),
      automations: this.#all(AUTOMATION, (code, { content: { name, input = [] } }) => {
        if (!this.#may(permissionCode.automationRun(code))) return null;
        const fields = input.map((field) => this.#described(field, false, code));
        return { code, name: this.#name(name), inputSchema: this.#schema(input, true), fields };
      }),
      assistants: this.#all(ASSISTANT, (code, { name }) =>
        this.#may(permissionCode.assistantUse(code)) ? { code, name: this.#name(name) } : null,
      ),
      dashboards: this.#all(DASHBOARD, (code, { name }) =>
        this.#may(permissionCode.dashboardRead(code)) ? { code, name: this.#name(name) } : null,
      ),
    };
  }

  /** By code: nodes that read the same configuration describe it alike. */
  *#all<Kept, Described>(
    type: ResourceType<never, Kept>,
    describe: (code: string, kept: Kept) => Described | null,
  ): Iterable<Described> {
    const all = this.#actor.metadata.all(type);
    for (const code of [...all.keys()].sort()) {
      const described = describe(code, all.get(code) as Kept);
      if (described) yield described;
    }
  }

  *#models(): Iterable<Part<'models'>> {
    const { models } = this.#actor.metadata;
    for (const code of [...models.keys()].sort()) {
      const model = this.#readableModel(code);
      if (!model) continue;
      const readable = this.#readableFields(model);
      const fields = readable.map((field) => this.#field(model, field));
      const known = new Set(readable.map((field) => field.code));
      const rules = rulesShown(model, known, (text) => this.#name(text));
      const relations = [...model.relations.values()].flatMap((relation) => this.#relation(model, relation));
      const displayField = displayFieldOf(model, this.#actor.permissions);
      yield {
        code,
        name: this.#name(model.name),
        displayField,
        fields,
        ...rules,
        ...(relations.length > 0 && { relations }),
      };
    }
  }

  #relation(model: Model, { code, name, through }: ManyToManyContent): ModelRelation[] {
    const found = joinOf(model, code, this.#actor);
    return found ? [{ code, name: this.#name(name), target: found.target.code, through }] : [];
  }

  #page(pageKey: string, page: Page): Part<'pages'> | null {
    const { name, modelCode, columns, sortFields = [], form } = page;
    const params = namesOfParams(page.paramConditions);
    const model = this.#readableModel(modelCode);
    if (!model) return null;
    const readable = new Map(this.#readableFields(model).map((field) => [field.code, field]));
    const types = new Set([...readable.values()].map(({ type }) => type));
    const sections = (form?.sections ?? []).map(({ name: of, fields, ...rest }) => ({
      ...(of !== undefined && { name: this.#name(of) }),
      fields: fields.filter((code) => readable.has(code)),
      ...rest,
    }));
    return {
      pageKey,
      name: this.#name(name),
      modelCode,
      columns: columns.flatMap(({ fieldName, label, ...rest }) => {
        const field = readable.get(fieldName);
        if (!field) return [];
        const { comparable: sortable } = FIELD_TYPES[field.type];
        return { fieldName, label: this.#name(label ?? field.content?.name ?? fieldName), sortable, ...rest };
      }),
      sortFields: sortFields.filter(({ fieldName }) => readable.has(fieldName)),
      ...(form && { form: { sections: sections.filter(({ fields }) => fields.length > 0) } }),
      ...(params.length > 0 && { params }),
      commands: commandsOfPage(this.#actor.metadata, page).filter((code) =>
        this.#may(permissionCode.commandExecute(code)),
      ),
      operators: Object.fromEntries([...types].sort().map((type) => [type, operatorsOf(type)])),
    };
  }

  #command(code: string, command: CommandContent): Part<'commands'> | null {
    const { name, modelCode, operations, target = false, matchOn, payload = [], transition } = command;
    const model = this.#actor.metadata.models.get(modelCode);
    if (!model || !this.#may(permissionCode.commandExecute(code))) return null;
    const isCustom = operations.includes('CUSTOM');
    const taken = new Set(payloadFieldsOfAll(command, model).map((field) => field.code));
    const ofRecord = this.#writableFields(model).filter((field) => taken.has(field.code));
    const isWhole = isCustom || operations.every((operation) => operation === 'CREATE');
    return {
      code,
      name: this.#name(name),
      modelCode,
      operations,
      ...(matchOn && { matchOn }),
      ...(transition && this.#knowsField(model, transition.field) && { transition }),
      ...(isCustom && { target, fields: payload.map((field) => this.#described(field, false, code)) }),
      payloadSchema: this.#withRelated(this.#schema(isCustom ? payload : ofRecord, isWhole), command),
    };
  }

  #schema(fields: readonly FieldContent[], isWhole: boolean): JsonSchema {
    return payloadSchemaOf(fields, ({ name }) => this.#name(name), isWhole);
  }

  #withRelated(schema: JsonSchema, { relations = [] }: CommandContent): JsonSchema {
    const { models } = this.#actor.metadata;
    const related = relations.flatMap((relation) => {
      const model = models.get(relation.modelCode);
      if (!model) return [];
      const fields = this.#writableFields(withoutField(model, relation.field));
      const child = { create: this.#schema(fields, true), update: this.#schema(fields, false) };
      return [[relation.code, relatedSchema(relation, this.#name(model.name), child)] as const];
    });
    return { ...schema, properties: { ...(schema.properties as object), ...Object.fromEntries(related) } };
  }

  #readableModel(code: string): Model | null {
    return this.#may(permissionCode.recordRead(code)) ? (this.#actor.metadata.models.get(code) ?? null) : null;
  }

  #readableFields(model: Model): Field[] {
    return [...model.fields.values()].filter(
      ({ readPermission }) => readPermission === null || this.#may(readPermission),
    );
  }

  #knowsField(model: Model, code: string): boolean {
    const { readPermission = null } = model.fields.get(code) ?? {};
    return this.#readableModel(model.code) !== null && (readPermission === null || this.#may(readPermission));
  }

  /** The fields of the model's own that the caller may write, and knows of. */
  #writableFields(model: Model): FieldContent[] {
    return this.#readableFields(model).flatMap(({ content, writePermission }) =>
      content && !isGenerated(content) && (writePermission === null || this.#may(writePermission)) ? [content] : [],
    );
  }

  #field(model: Model, field: Field): Part<'models'>['fields'][number] {
    const { code, type, content, writePermission } = field;
    if (!content) return this.#described({ code, name: code, type, required: true }, true, model.code);
    const isReadOnly = isGenerated(content) || (writePermission !== null && !this.#may(writePermission));
    return this.#described(content, isReadOnly, model.code);
  }

  /** @param of the code of the model, command or automation that declares the field */
  #described(field: DescribedField, readOnly: boolean, of: string): Part<'models'>['fields'][number] {
    const { code, name, type, required = false, values, target, maxLength, min, max, accept, maxBytes } = field;
    const { default: initial, scale, precision, transitions, fields, minItems, maxItems } = field;
    const options = type === 'enum' ? enumOptions(of, field, this.#language) : null;
    // A relation to what the caller may not read is a field like any other.
    const isKnown = target !== undefined && this.#readableModel(target) !== null;
    return {
      code,
      name: this.#name(name),
      type,
      required,
      readOnly,
      default: initial,
      values,
      transitions,
      ...(options && { labels: Object.fromEntries(options.map(({ value, label }) => [value, label])) }),
      ...(isKnown && { target }),
      scale,
      precision,
      maxLength,
      min,
      max,
      accept,
      maxBytes,
      ...(fields && { fields: fields.map((one) => this.#described(one, readOnly, `${of}.${code}`)) }),
      minItems,
      maxItems,
    };
  }

  #may(permission: string): boolean {
    return this.#actor.permissions.has(permission);
  }

  #name(name: string): string {
    return translateName(name, this.#language);
  }
}
