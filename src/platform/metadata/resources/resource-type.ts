import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import type { Message, Template } from '../../../foundation/i18n/text.ts';
import type { FieldRenames } from './field-renames.ts';
import type { ResourceTypeName } from './resource-type-names.ts';

/** A resource of an environment, as it is or as it would be. `pid` and `version` are known of stored ones. */
export interface EnvironmentResource<Content = unknown> {
  readonly resourceType: string;
  readonly code: string;
  readonly content: Content;
  readonly pid?: string;
  readonly version?: number;
}

/** Something that a resource cannot work without. */
export interface Reference {
  /** Where in the content it is named. */
  readonly path: string;
  readonly resourceType: string;
  readonly code: string;
  /** A field of the named model, where the reference is to a field. */
  readonly field?: string;
  /** The field is written: one that the platform sets does not do. */
  readonly isWritten?: boolean;
}

/** A resource that changes, with its content before. */
export interface PublishedChange<Content = unknown> {
  readonly code: string;
  readonly content: Content;
  readonly before: Content | undefined;
}

/** The fields that the parts of an event's body come from. */
export interface EventOrigins {
  readonly payload?: ValueOrigin;
  readonly result?: ValueOrigin;
}

/** A value that a resource writes into a field or answers, so that the readers of that see it. */
export interface ShownValue {
  /** Where in the content it is. */
  readonly path: string;
  /** `<model>.<field>` that it is written to; null where it is answered. */
  readonly field: string | null;
  /** The fields that it comes from. */
  readonly from: readonly string[];
}

/** A permission without which a part of a resource fails. */
export interface NeededPermission {
  /** Where in the content that part is. */
  readonly path: string;
  readonly role: string;
  readonly permission: string;
}

/** The resources of one environment, by type and code. */
export interface Configuration {
  readonly environment: string;
  has(resourceType: string, code: string): boolean;
  find<Kept>(type: ResourceType<never, Kept>, code: string): Kept | undefined;
  all<Kept>(type: ResourceType<never, Kept>): ReadonlyMap<string, Kept>;
}

/**
 * A type of DSL resource: everything that the platform knows of it. The owner of the type defines one; it is
 * also the key by which snapshots are read: `snapshot.get(COMMAND, code)`.
 */
export interface ResourceType<Content = unknown, Kept = unknown> {
  readonly name: ResourceTypeName;
  /** Regular expression that the codes of its resources match. */
  readonly codePattern: string;
  /** JSON Schema of the content. Unknown keys are errors. */
  readonly schema: object;
  /** Schemas with an `$id` to which `schema` refers. */
  readonly schemas?: readonly object[];
  /** The message of NOT_FOUND for a code that the environment lacks. */
  readonly notFound: Message;
  /** Problems of a reference to such a code; `{code}` stands for it. */
  readonly unknownCode?: Template;

  /** What a snapshot keeps of a resource, ready for use. */
  keep(resource: EnvironmentResource<Content>, environment: string): Kept;
  /** Problems of a resource by itself, beyond its schema: path -> problem. */
  validate?(content: Content): FieldErrors;
  /** What its author should know of a resource that is valid: path -> message. */
  warnings?(content: Content): FieldErrors;
  /** Types of the events that it emits, but for those of records. */
  eventTypes?(code: string, content: Content): readonly string[];
  /** Types of events that it waits for, or the starts of types followed by `*`: path -> type. */
  eventTypesHeard?(content: Content): readonly (readonly [path: string, eventType: string])[];
  /** The problem of a code that matches the pattern; null if none. */
  problemOfCode?(code: string): Message | null;
  /** Problems of a resource among the others of its environment: path -> problem. */
  check?(resource: EnvironmentResource<Content>, after: Configuration): FieldErrors | Promise<FieldErrors>;
  /**
   * What its own examples show, tried and undone: path -> how one fails.
   * @param until when the rest is left out, in milliseconds since 1970
   */
  failingExamples?(resource: EnvironmentResource<Content>, after: Configuration, until?: number): Promise<FieldErrors>;
  /** Everything that it refers to, in the order of its content. */
  references?(content: Content): Reference[];
  /** The secrets that it cannot work without. A type that has this may name secrets. */
  secrets?(content: Content): string[];
  /** Codes of the models whose records it writes, and so those that its events carry. */
  modelsWritten?(content: Content): Iterable<string>;
  /** The fields that the parts of its events come from. */
  eventOrigins?(content: Content): EventOrigins;
  /** Values that it writes or answers, with the fields that they come from. */
  valuesShown?(content: Content, code: string): ShownValue[];
  /** `<model>.<field>` that it shows to those who may not read it. */
  reveals?(content: Content): readonly string[];
  /** What it does with the rights of a role. */
  permissionsNeeded?(code: string, content: Content): readonly NeededPermission[];
  /** Reasons that its author gives to conflicts. */
  reasons?(content: Content): readonly string[];
  /** Reasons of errors that its examples expect: path -> reason. */
  reasonsExpected?(content: Content): readonly (readonly [path: string, reason: string])[];
  /** Keys of texts by which it is shown, beside those that its content names. */
  textKeys?(code: string, content: Content): readonly string[];
  /** Whether it lets its users write whatever fields its model has, and its author has not said so. */
  takesUnnamedFields?(content: Content): boolean;
  /**
   * Who has the resource beyond the configuration, so that it should not be deleted; null when nothing does.
   */
  problemOfRemoval?(em: PlatformEntityManager, code: string, environment: string): Promise<Message | null>;
  /** Why its resources cannot get another code; undefined where they can. */
  readonly problemOfRename?: Message;
  /** The permission codes that protect it. */
  permissionCodes?(code: string, content: Content): string[];
  /**
   * The content once fields of a model have other codes. A type without this has to change together with the
   * model.
   * @param pages the codes of their models
   */
  afterRenames?(content: Content, renames: FieldRenames, pages: ReadonlyMap<string, string>): object;
  /** What else the environment needs when resources of the type change, in the same transaction. */
  publish?(em: PlatformEntityManager, environment: string, changes: readonly PublishedChange<Content>[]): Promise<void>;
}

/** Whether a resource is of a type, and so has content of the type's form. */
export function isOfType<Content, R extends Pick<EnvironmentResource, 'resourceType' | 'content'>>(
  resource: R | undefined,
  type: ResourceType<Content>,
): resource is R & { readonly content: Content } {
  return resource?.resourceType === type.name;
}

/** A reference from `content.<path>` to a model, or to a field of it. */
export function toModel(path: string, code: string, field?: string): Reference {
  return { ...toResource(path, { name: 'MODEL' }, code), ...(field !== undefined && { field }) };
}

/** A reference from `content.<path>` to a resource. */
export function toResource(path: string, { name }: Pick<ResourceType, 'name'>, code: string): Reference {
  return { path: `content.${path}`, resourceType: name, code };
}
