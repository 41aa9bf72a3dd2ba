import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { EnvironmentResource, Configuration, Reference } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { ResourceWarnings } from './resource-warnings.ts';
import { Text, text } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { isWritable } from '../models/model.ts';
import { MODEL } from '../models/model-type.ts';

/** Checks resources among the others of their environment, for every way in which configuration changes. */
export class ResourceChecks {
  readonly types: ResourceTypes;

  readonly #shipped: ReadonlyMap<string, string>;

  /** @param shipped key -> English text, of the program's own texts */
  constructor(types: ResourceTypes, shipped: ReadonlyMap<string, string>) {
    this.types = types;
    this.#shipped = shipped;
  }

  /** Problems of a resource that is not saved, as a save would find them: path -> problem. */
  async problemsOfDraft(metadata: Snapshot, draft: EnvironmentResource): Promise<FieldErrors> {
    const { resourceType, code, content } = draft;
    const own = this.types.problemsOfContent(resourceType, code, content);
    if (Object.keys(own).length > 0) return own;
    const found = await this.problemsOf(metadata, [draft]);
    const prefix = `${resourceType}/${code} `;
    return Object.fromEntries(Object.entries(found).map(([path, problem]) => [path.slice(prefix.length), problem]));
  }

  /** As `problemsOf`, of resources that stay as they are, without what was wrong with them before. */
  async newProblemsOf(
    before: () => Snapshot,
    after: Snapshot,
    resources: readonly EnvironmentResource[],
  ): Promise<FieldErrors> {
    const problems = await this.problemsOf(after, resources);
    const paths = Object.keys(problems);
    if (paths.length === 0) return problems;
    const names = new Set(paths.map((path) => path.slice(0, path.indexOf(' '))));
    const invalid = resources.filter(({ resourceType, code }) => names.has(`${resourceType}/${code}`));
    const known = await this.problemsOf(before(), invalid);
    return Object.fromEntries(Object.entries(problems).filter(([path]) => !Object.hasOwn(known, path)));
  }

  warningsAmong(resources: Iterable<EnvironmentResource>): ResourceWarnings {
    return new ResourceWarnings(resources, this.types, this.#shipped);
  }

  /**
   * Problems of resources among the others of their environment: `<type>/<code> <path>` -> problem.
   */
  async problemsOf(after: Snapshot, resources: readonly EnvironmentResource[]): Promise<FieldErrors> {
    const problems: FieldErrors = {};
    for (const resource of resources) {
      await letOthersRun();
      const found = {
        ...(await this.types.find(resource.resourceType)?.check?.(resource, after)),
        ...danglingReferences(resource, after, this.types),
      };
      for (const [path, problem] of Object.entries(found)) {
        problems[`${resource.resourceType}/${resource.code} ${path}`] = problem;
      }
    }
    return problems;
  }
}

/** What a resource refers to and the environment lacks: path in the content -> problem. */
function danglingReferences(
  resource: EnvironmentResource,
  environment: Configuration,
  types: ResourceTypes,
): FieldErrors {
  const problems: FieldErrors = {};
  for (const reference of types.referencesOf(resource)) {
    const { path, resourceType, code, field } = reference;
    if (!environment.has(resourceType, code)) {
      const problem = types.find(resourceType)?.unknownCode ?? '{code} is not a resource';
      const known = types.find(resourceType);
      problems[path] ??= withSuggestion(new Text(problem, { code }), code, known ? environment.all(known).keys() : []);
    } else if (field !== undefined && !hasField(environment, reference, field)) {
      const all = [...(environment.find(MODEL, code)?.fields.values() ?? [])];
      const fields = all.flatMap((each) => (reference.isWritten && !isWritable(each) ? [] : each.code));
      problems[path] ??= withSuggestion(text('is not a field of {model}', { model: code }), field, fields);
    }
  }
  return problems;
}

function hasField(environment: Configuration, { code, isWritten }: Reference, field: string): boolean {
  const found = environment.find(MODEL, code)?.fields.get(field);
  return found !== undefined && (!isWritten || isWritable(found));
}
