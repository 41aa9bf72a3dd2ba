import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { inTurn } from '../../../foundation/jobs/turns.ts';
import type { ResourceDraft } from '../../../platform/metadata/changes/resources.service.ts';
import {
  codeBeforeRename,
  IS_THERE_TOO,
  problemOfApplication,
} from '../../../platform/metadata/resources/common-content.ts';
import type { ResourceTypes } from '../../../platform/metadata/resources/resource-types.ts';
import { nameOf } from '../promotion/manifests.ts';

/**
 * Problems of drafts by themselves: `resources.<index>.<path>` -> problem.
 * @param application whose files they are; undefined: of any
 */
export async function problemsOfDrafts(
  types: ResourceTypes,
  resources: readonly ResourceDraft[],
  application: string | undefined,
): Promise<FieldErrors> {
  const problems: FieldErrors = {};
  const seen = new Set<string>();
  const names = new Set(resources.map(nameOf));
  for (const [index, draft] of resources.entries()) {
    const { resourceType, code, content } = draft;
    const found = await inTurn(() => types.problemsOfContent(resourceType, code, content));
    for (const [path, problem] of Object.entries(found)) problems[`resources.${index}.${path}`] = problem;
    const ofApplication = application === undefined ? null : problemOfApplication(draft, application);
    if (ofApplication) problems[`resources.${index}.content.app`] ??= ofApplication;
    const from = codeBeforeRename(draft);
    if (from !== null && names.has(nameOf({ resourceType, code: from }))) {
      problems[`resources.${index}.content.renamedFrom`] ??= text(IS_THERE_TOO, { from });
    }
    const name = nameOf(draft);
    if (seen.has(name)) problems[`resources.${index}.code`] = text('repeats the {key}', { key: name });
    seen.add(name);
  }
  return problems;
}
