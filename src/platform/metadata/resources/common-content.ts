import { text, type Message } from '../../../foundation/i18n/text.ts';

/** Names of applications. */
export const APPLICATION_NAME_PATTERN = '^[a-z][a-z0-9_-]{0,62}$';

/** Keys that the content of every resource may have, whatever its type. */
const COMMON_KEYS = {
  app: {
    type: 'string',
    pattern: APPLICATION_NAME_PATTERN,
    description: 'The application that the resource belongs to; in files it is the name in keelson.yaml',
  },
  renamedFrom: {
    type: 'string',
    minLength: 1,
    maxLength: 100,
    description: 'The code that the resource had before: it stays the same resource, with its versions',
  },
};

/** The problem of a new code while the resource with the old one is still there. */
export const IS_THERE_TOO = '{from} is there, too: remove renamedFrom';

interface ContentSchema {
  readonly properties?: object;
  readonly oneOf?: readonly ContentSchema[];
}

/** The schema of a type's content, with the keys that every content may have. */
export function withCommonKeys({ properties = {}, oneOf, ...schema }: ContentSchema): object {
  if (oneOf) return { ...schema, oneOf: oneOf.map(withCommonKeys) };
  return { ...schema, properties: { ...properties, ...COMMON_KEYS } };
}

interface WithContent {
  readonly content: unknown;
}

/** The application that a resource belongs to; null for none. */
export function applicationOf({ content }: WithContent): string | null {
  return (content as { app?: string }).app ?? null;
}

/** The code that a resource says it had before; null for none. */
export function codeBeforeRename({ content }: WithContent): string | null {
  return (content as { renamedFrom?: string }).renamedFrom ?? null;
}

/** Of resources on two sides, those that an application has on either of them. */
export function ofApplication<R extends WithContent & { readonly pid: string }>(resources: readonly R[], app: string) {
  const pids = new Set(resources.filter((one) => applicationOf(one) === app).map(({ pid }) => pid));
  return resources.filter(({ pid }) => pids.has(pid));
}

/** A resource of an application, whether or not it says so itself. */
export function inApplication<R extends WithContent>(resource: R, app: string): R & { readonly content: object } {
  return { ...resource, content: { app, ...(resource.content as object) } };
}

/** The problem of the application that a file names; null if none. */
export function problemOfApplication(resource: WithContent, application: string): Message | null {
  const named = applicationOf(resource);
  return named === null || named === application
    ? null
    : text('must be {application}, as the files are its', { application });
}
