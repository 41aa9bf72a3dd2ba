import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { Text, text } from '../../../foundation/i18n/text.ts';
import { MODEL } from '../models/model-type.ts';
import type { Configuration, EnvironmentResource, Reference } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';

/** What a resource refers to and the environment lacks: path in the content -> problem. */
export function danglingReferences(
  resource: EnvironmentResource,
  environment: Configuration,
  types: ResourceTypes,
): FieldErrors {
  const problems: FieldErrors = {};
  for (const reference of types.referencesOf(resource)) {
    const { path, resourceType, code, field } = reference;
    if (!environment.has(resourceType, code)) {
      const problem = types.find(resourceType)?.unknownCode ?? '{code} is not a resource';
      problems[path] ??= new Text(problem, { code });
    } else if (field !== undefined && !hasField(environment, reference, field)) {
      problems[path] ??= text('is not a field of {model}', { model: code });
    }
  }
  return problems;
}

function hasField(environment: Configuration, { code, isWritten }: Reference, field: string): boolean {
  const found = environment.find(MODEL, code)?.fields.get(field);
  return isWritten ? Boolean(found?.content) : found !== undefined;
}
