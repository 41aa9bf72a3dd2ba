import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { SHIPPED_LOCALES } from '../../../foundation/i18n/text-table.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { matchesEventType, RECORD_EVENT_TYPES } from '../resources/event-types.ts';
import { KnownPermissions } from '../permissions/known-permissions.ts';
import { permissionCode } from '../permissions/permission-codes.ts';
import { PERMISSION } from '../permissions/permission-type.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { permissionsOf, type Permissions } from '../permissions/permissions.ts';
import { MODEL } from '../models/model-type.ts';
import { isOfType, type EnvironmentResource } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';
import { warningsOfTexts, type UsedTexts } from '../translations/text-warnings.ts';
import { familyOf, isBundle, isKnownLocale, messageKeysIn } from '../translations/translations.ts';

/** Reasons that the program gives when it refuses a command. */
const REASONS_OF_PROGRAM = ['STATE', 'UNIQUE', 'OVERLAP', 'REFERENCE', 'VERSION', 'LIMIT', 'ROW_RULE', 'TOO_LARGE'];

/** Options of fields, with the permissions that they ask for. */
const FIELD_PERMISSIONS = [
  ['readPermission', permissionCode.fieldRead],
  ['writePermission', permissionCode.fieldWrite],
] as const;

/** Starts of the types of events that the program emits by itself. */
const EVENTS_OF_PROGRAM = ['im.', 'meta:', 'record:', 'webhook.'];

/**
 * What a resource names and nothing among these resources has, and where it lets values out of their fields.
 * It works nevertheless, but perhaps not as its author means.
 */
export class ResourceWarnings {
  readonly #known: KnownPermissions;
  readonly #keys: Set<string>;
  readonly #types: ResourceTypes;
  readonly #shipped: ReadonlyMap<string, string>;
  readonly #resources: readonly EnvironmentResource[];
  #usedTexts: UsedTexts | null = null;
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

  /** @param shipped key -> English text, of the program's own texts */
  constructor(resources: Iterable<EnvironmentResource>, types: ResourceTypes, shipped: ReadonlyMap<string, string>) {
    this.#types = types;
    this.#shipped = shipped;
    this.#resources = [...resources];
    const made: string[] = [];
    this.#keys = new Set(shipped.keys());
    for (const resource of this.#resources) {
      made.push(...types.permissionCodesOf(resource));
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
    this.#known = new KnownPermissions(made);
  }

  /** Path in the content -> what its author should know. */
  of(resource: EnvironmentResource): FieldErrors {
    return {
      ...this.unknownIn(resource),
      ...this.#shownBy(resource),
      ...this.#openTo(resource),
      ...this.#exemptNobody(resource),
      ...this.#keptFromAll(resource),
      ...this.#forbidden(resource),
      ...this.#revealedAnyway(resource),
      ...this.#unexpected(resource),
      ...this.#spokenNowhere(resource),
      ...this.#untranslated(resource),
      ...this.#ofTexts(resource),
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

  /** Fields that administrators alone may read or write. */
  #keptFromAll(resource: EnvironmentResource): FieldErrors {
    if (!isOfType(resource, MODEL)) return {};
    const warnings: FieldErrors = {};
    for (const [index, field] of resource.content.fields.entries()) {
      for (const [option, permissionFor] of FIELD_PERMISSIONS) {
        const permission = permissionFor(resource.code, field.code);
        if (!field[option] || this.#roles.some(({ permissions }) => permissions.has(permission))) continue;
        warnings[`content.fields.${index}.${option}`] = this.#noRoleHas(permission);
      }
    }
    return warnings;
  }

  /** What it does with the rights of roles that lack them. */
  #forbidden(resource: EnvironmentResource): FieldErrors {
    const warnings: FieldErrors = {};
    for (const { path, role, permission } of this.#types.permissionsNeededBy(resource)) {
      const { permissions } = this.#roles.find(({ code }) => code === role) ?? {};
      if (permissions?.has(permission) === false)
        warnings[path] = text('{role} has no {code}', { role, code: permission });
    }
    return warnings;
  }

  /** Fields that it reveals, and that anyone may read. */
  #revealedAnyway(resource: EnvironmentResource): FieldErrors {
    const warnings: FieldErrors = {};
    for (const [index, field] of this.#types.revealedBy(resource).entries()) {
      if (!this.#protected.has(field))
        warnings[`content.reveals.${index}`] = 'has no readPermission: anyone may read it';
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

  #ofTexts(resource: EnvironmentResource): FieldErrors {
    if (!isBundle(resource)) return {};
    this.#usedTexts ??= this.#findUsedTexts();
    return warningsOfTexts(resource.content, this.#usedTexts);
  }

  #findUsedTexts(): UsedTexts {
    const named = this.#resources.flatMap((each) => messageKeysIn(each).map(({ key }) => key));
    const byConvention = this.#resources.flatMap((each) => this.#types.textKeysOf(each));
    const keys = new Set([...named, ...byConvention]);
    return { shipped: this.#shipped, keys, missing: new Set([...keys].filter((key) => !this.#keys.has(key))) };
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
        const problem = this.#known.problemOf(code);
        if (problem !== null) warnings[`content.codes.${index}`] = problem;
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
}
