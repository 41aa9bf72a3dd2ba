import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { SHIPPED_LOCALES } from '../../../foundation/i18n/text-table.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { matchesEventType, RECORD_EVENT_TYPES } from '../resources/event-types.ts';
import { FIXED_CODES, permissionCode, PERMISSION_FAMILIES } from '../permissions/permission-codes.ts';
import { PERMISSION } from '../permissions/permission-type.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { permissionsOf, type Permissions } from '../permissions/permissions.ts';
import { MODEL } from '../models/model-type.ts';
import { isOfType, type EnvironmentResource } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';
import { familyOf, isBundle, isKnownLocale, messageKeysIn } from '../translations/translations.ts';

/** Reasons that the program gives when it refuses a command. */
const REASONS_OF_PROGRAM = ['STATE', 'UNIQUE', 'OVERLAP', 'REFERENCE', 'VERSION', 'LIMIT', 'ROW_RULE', 'TOO_LARGE'];

/** Starts of the types of events that the program emits by itself. */
const EVENTS_OF_PROGRAM = ['im.', 'meta:', 'record:', 'webhook.'];

/**
 * What a resource names and nothing among these resources has, and where it lets values out of their fields.
 * It works nevertheless, but perhaps not as its author means.
 */
export class ResourceWarnings {
  readonly #codes: ReadonlySet<string>;
  readonly #prefixes = new Set<string>();
  readonly #keys: Set<string>;
  readonly #types: ResourceTypes;
  /** `<model>.<field>` that only some may read. */
  readonly #protected = new Set<string>();

  /** Bundles whose codes differ by their language alone: code -> texts. */
  readonly #bundles = new Map<string, Map<string, Readonly<Record<string, string>>>>();
  /** Types of the events that resources emit. */
  readonly #eventTypes = new Set<string>(RECORD_EVENT_TYPES);
  readonly #reasons = new Set<string>(REASONS_OF_PROGRAM);
  readonly #locales = new Set<string>(Object.values(SHIPPED_LOCALES));
  /** Codes that roles name. */
  readonly #granted = new Set<string>();
  readonly #roles: { readonly code: string; readonly permissions: Permissions }[] = [];

  /** @param shippedKeys the keys of the program's own texts */
  constructor(resources: Iterable<EnvironmentResource>, types: ResourceTypes, shippedKeys: ReadonlySet<string>) {
    this.#types = types;
    const codes = new Set<string>(FIXED_CODES);
    this.#keys = new Set(shippedKeys);
    for (const resource of resources) {
      for (const code of types.permissionCodesOf(resource)) codes.add(code);
      for (const type of types.eventTypesOf(resource)) this.#eventTypes.add(type);
      for (const reason of types.reasonsOf(resource)) this.#reasons.add(reason);
      if (isOfType(resource, MODEL)) {
        for (const { code, readPermission } of resource.content.fields) {
          if (readPermission) this.#protected.add(`${resource.code}.${code}`);
        }
      }
      if (isOfType(resource, PERMISSION)) {
        const { code, content } = resource;
        for (const granted of content.codes) this.#granted.add(granted);
        this.#roles.push({ code, permissions: permissionsOf([code], () => content.codes) });
      }
      if (!isBundle(resource)) continue;
      if (isKnownLocale(resource.content.locale)) this.#locales.add(resource.content.locale);
      for (const key of Object.keys(resource.content.messages)) this.#keys.add(key);
      const family = this.#bundles.get(familyOf(resource)) ?? new Map<string, Readonly<Record<string, string>>>();
      this.#bundles.set(familyOf(resource), family.set(resource.code, resource.content.messages));
    }
    this.#codes = codes;
    for (const code of [...codes, ...PERMISSION_FAMILIES]) {
      const segments = code.split(':');
      segments.forEach((_, index) => this.#prefixes.add(segments.slice(0, index + 1).join(':')));
    }
  }

  /** Path in the content -> what its author should know. */
  of(resource: EnvironmentResource): FieldErrors {
    return {
      ...this.unknownIn(resource),
      ...this.#shownBy(resource),
      ...this.#openTo(resource),
      ...this.#exemptNobody(resource),
      ...this.#hiddenFromAll(resource),
      ...this.#unexpected(resource),
      ...this.#spokenNowhere(resource),
      ...this.#untranslated(resource),
      ...this.#unheard(resource),
      ...this.#types.warningsOf(resource),
    };
  }

  /** Codes that no role has, so that a row rule binds everyone but administrators. */
  #exemptNobody(resource: EnvironmentResource): FieldErrors {
    const warnings: FieldErrors = {};
    const rules = isOfType(resource, MODEL) ? (resource.content.rowRules ?? []) : [];
    for (const [index, { unless }] of rules.entries()) {
      if (unless === undefined || this.#roles.some(({ permissions }) => permissions.has(unless))) continue;
      warnings[`content.rowRules.${index}.unless`] = this.#noRoleHas(unless);
    }
    return warnings;
  }

  /** Fields that administrators alone may read. */
  #hiddenFromAll(resource: EnvironmentResource): FieldErrors {
    if (!isOfType(resource, MODEL)) return {};
    const warnings: FieldErrors = {};
    for (const [index, { code, readPermission }] of resource.content.fields.entries()) {
      const permission = permissionCode.fieldRead(resource.code, code);
      if (!readPermission || this.#roles.some(({ permissions }) => permissions.has(permission))) continue;
      warnings[`content.fields.${index}.readPermission`] = this.#noRoleHas(permission);
    }
    return warnings;
  }

  #noRoleHas(code: string): Message {
    return withSuggestion(text('no role has {code}', { code }), code, this.#granted);
  }

  /** Reasons that nothing refuses a command with. */
  #unexpected(resource: EnvironmentResource): FieldErrors {
    const warnings: FieldErrors = {};
    for (const [path, reason] of this.#types.reasonsExpectedBy(resource)) {
      if (!this.#reasons.has(reason))
        warnings[path] = withSuggestion(text('nothing refuses with {reason}', { reason }), reason, this.#reasons);
    }
    return warnings;
  }

  /** Locales of languages that there are not. */
  #spokenNowhere(resource: EnvironmentResource): FieldErrors {
    if (!isBundle(resource) || isKnownLocale(resource.content.locale)) return {};
    const { locale } = resource.content;
    const problem = text('{locale} names no known language and country', { locale });
    return { 'content.locale': withSuggestion(problem, locale, this.#locales) };
  }

  /** Keys that a bundle has, and the one of the same name in another language lacks. */
  #untranslated(resource: EnvironmentResource): FieldErrors {
    if (!isBundle(resource)) return {};
    const warnings: FieldErrors = {};
    const { code, content } = resource;
    for (const [other, messages] of this.#bundles.get(familyOf(resource)) ?? []) {
      for (const key of other === code ? [] : Object.keys(content.messages)) {
        if (!Object.hasOwn(messages, key))
          warnings[`content.messages.${key}`] = text('is not in {bundle}', { bundle: other });
      }
    }
    return warnings;
  }

  /** Events that are waited for and that nothing emits. */
  #unheard(resource: EnvironmentResource): FieldErrors {
    const warnings: FieldErrors = {};
    for (const [path, eventType] of this.#types.eventTypesHeardBy(resource)) {
      const isOfProgram = EVENTS_OF_PROGRAM.some((start) => eventType.startsWith(start));
      if (isOfProgram || [...this.#eventTypes].some((type) => matchesEventType(eventType, type))) continue;
      const problem = text('nothing emits {type}', { type: eventType });
      warnings[path] = withSuggestion(problem, eventType, this.#eventTypes);
    }
    return warnings;
  }

  /** What roles may write without anyone having named it. */
  #openTo(resource: EnvironmentResource): FieldErrors {
    if (!this.#types.takesUnnamedFields(resource)) return {};
    const codes = this.#types.permissionCodesOf(resource);
    const role = this.#roles.find(({ permissions }) => codes.every((code) => permissions.has(code)));
    if (!role) return {};
    return {
      'content.fields': text('{role} may write every field by it: name those that it takes, or *', { role: role.code }),
    };
  }

  /** Path in the content -> what is unknown there. */
  unknownIn(resource: EnvironmentResource): FieldErrors {
    const warnings: FieldErrors = {};
    for (const { path, key } of messageKeysIn(resource)) {
      if (this.#keys.has(key)) continue;
      warnings[path] = withSuggestion(text('no I18N resource has the key {key}', { key }), key, this.#keys);
    }
    if (isOfType(resource, PERMISSION)) {
      for (const [index, code] of resource.content.codes.entries()) {
        if (this.#isKnown(code)) continue;
        warnings[`content.codes.${index}`] = withSuggestion(
          text('{code} protects nothing', { code }),
          code,
          this.#codes,
        );
      }
    }
    return warnings;
  }

  /** Path in the content -> the field whose value readers of the answer, or of another field, would see. */
  #shownBy(resource: EnvironmentResource): FieldErrors {
    const warnings: FieldErrors = {};
    for (const { path, field, from } of this.#types.valuesShownBy(resource)) {
      const hidden = from.find((source) => this.#protected.has(source));
      if (hidden === undefined || (field !== null && this.#protected.has(field))) continue;
      warnings[path] =
        field === null
          ? text('is left out for callers without field:read:{hidden}, unless reveals names it', { hidden })
          : text('copies {hidden} into {field}, which anyone may read', { hidden, field });
    }
    return warnings;
  }

  #isKnown(code: string): boolean {
    if (code === '*' || this.#codes.has(code)) return true;
    return code.endsWith(':*') && this.#prefixes.has(code.slice(0, -':*'.length));
  }
}
