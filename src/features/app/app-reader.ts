import { translateName, type Language } from '../../foundation/i18n/languages.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { FieldContent } from '../../platform/metadata/field-types/field-content.ts';
import type { FieldOptions } from '../../platform/metadata/field-types/field-options.ts';
import { FIELD_TYPES, type FieldType } from '../../platform/metadata/field-types/field-types.ts';
import { payloadSchemaOf } from '../../platform/metadata/field-types/payload-schema.ts';
import type { Field, Model } from '../../platform/metadata/models/model.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { ASSISTANT } from '../assistant/assistant-type.ts';
import { AUTOMATION } from '../automations/definition/automation-type.ts';
import type { CommandContent } from '../commands/command-content.ts';
import { COMMAND } from '../commands/command-type.ts';
import { commandsOfPage } from '../commands/record-commands.ts';
import { DATASOURCE } from '../datasources/datasource-type.ts';
import { operatorsOf } from '../records/operators.ts';
import { PAGE_SCHEMA } from '../records/page-type.ts';
import { usableView } from '../records/views/offered-views.ts';
import { VIEW } from '../records/views/view-type.ts';
import type { Page } from '../records/pages/page-content.ts';

/** The configuration as its user may see it: nothing is in it that they may not use. */
export class AppReader {
  readonly #actor: Actor;
  readonly #language: Language;

  constructor(actor: Actor, language: Language) {
    this.#actor = actor;
    this.#language = language;
  }

  /** Each part by its key, one entry at a time. */
  parts(): Readonly<Record<string, Iterable<object>>> {
    return {
      pages: this.#all(PAGE_SCHEMA, (code, page) => this.#page(code, page)),
      models: this.#models(),
      commands: this.#all(COMMAND, (code, command) => this.#command(code, command)),
      dataSources: this.#all(DATASOURCE, (code, { name }) =>
        this.#may(permissionCode.dataSourceRead(code)) ? { code, name: this.#name(name) } : null,
      ),
      views: this.#all(VIEW, (_code, view) => {
        const usable = usableView(view, this.#actor);
        return usable && { ...usable, name: this.#name(usable.name) };
      }),
      automations: this.#all(AUTOMATION, (code, { content: { name, input = [] } }) =>
        this.#may(permissionCode.automationRun(code))
          ? { code, name: this.#name(name), inputSchema: this.#schema(input, true) }
          : null,
      ),
      assistants: this.#all(ASSISTANT, (code, { name }) =>
        this.#may(permissionCode.assistantUse(code)) ? { code, name: this.#name(name) } : null,
      ),
    };
  }

  /** By code: nodes that read the same configuration describe it alike. */
  *#all<Kept>(
    type: ResourceType<never, Kept>,
    describe: (code: string, kept: Kept) => object | null,
  ): Iterable<object> {
    const all = this.#actor.metadata.all(type);
    for (const code of [...all.keys()].sort()) {
      const described = describe(code, all.get(code) as Kept);
      if (described) yield described;
    }
  }

  *#models(): Iterable<object> {
    const { models } = this.#actor.metadata;
    for (const code of [...models.keys()].sort()) {
      const model = this.#readableModel(code);
      if (!model) continue;
      const fields = this.#readableFields(model).map((field) => this.#field(field));
      yield { code, name: this.#name(model.name), fields };
    }
  }

  #page(pageKey: string, page: Page): object | null {
    const { name, modelCode, columns, sortFields = [], form } = page;
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
      commands: commandsOfPage(this.#actor.metadata, page).filter((code) =>
        this.#may(permissionCode.commandExecute(code)),
      ),
      operators: Object.fromEntries([...types].sort().map((type) => [type, operatorsOf(type)])),
    };
  }

  #command(code: string, command: CommandContent): object | null {
    const { name, modelCode, operations, target = false, payload = [] } = command;
    const model = this.#actor.metadata.models.get(modelCode);
    if (!model || !this.#may(permissionCode.commandExecute(code))) return null;
    const isCustom = operations.includes('CUSTOM');
    const takesFields = operations.some((operation) => operation === 'CREATE' || operation === 'UPDATE');
    const ofRecord = takesFields ? this.#writableFields(model) : [];
    const isWhole = isCustom || operations.every((operation) => operation === 'CREATE');
    return {
      code,
      name: this.#name(name),
      modelCode,
      operations,
      ...(isCustom && { target, fields: payload.map((field) => this.#described(field, false)) }),
      payloadSchema: this.#schema(isCustom ? payload : ofRecord, isWhole),
    };
  }

  #schema(fields: readonly FieldContent[], isWhole: boolean): object {
    return payloadSchemaOf(fields, ({ name }) => this.#name(name), isWhole);
  }

  #readableModel(code: string): Model | null {
    return this.#may(permissionCode.recordRead(code)) ? (this.#actor.metadata.models.get(code) ?? null) : null;
  }

  #readableFields(model: Model): Field[] {
    return [...model.fields.values()].filter(
      ({ readPermission }) => readPermission === null || this.#may(readPermission),
    );
  }

  /** The fields of the model's own that the caller may write, and knows of. */
  #writableFields(model: Model): FieldContent[] {
    return this.#readableFields(model).flatMap(({ content, writePermission }) =>
      content && (writePermission === null || this.#may(writePermission)) ? [content] : [],
    );
  }

  #field({ code, type, content, writePermission }: Field): object {
    if (!content) return this.#described({ code, name: code, type, required: true }, true);
    return this.#described(content, writePermission !== null && !this.#may(writePermission));
  }

  #described(field: FieldOptions & { readonly type: FieldType }, readOnly: boolean): object {
    const { code, name, type, required = false, values, target, maxLength, min, max } = field;
    // A relation to what the caller may not read is a field like any other.
    const isKnown = target !== undefined && this.#readableModel(target) !== null;
    return {
      ...{ code, name: this.#name(name), type, required, readOnly, values },
      ...(isKnown && { target }),
      ...{ maxLength, min, max },
    };
  }

  #may(permission: string): boolean {
    return this.#actor.permissions.has(permission);
  }

  #name(name: string): string {
    return translateName(name, this.#language);
  }
}
