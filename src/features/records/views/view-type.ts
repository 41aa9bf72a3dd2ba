import { isLongerThan } from '../../../foundation/validation/text-length.ts';
import { FILTER_SCHEMA } from '../../../platform/metadata/content/filter-content.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { PERMISSION } from '../../../platform/metadata/permissions/permission-type.ts';
import { BUILT_IN_ROLES } from '../../../platform/metadata/permissions/permissions.ts';
import {
  toResource,
  type Configuration,
  type ResourceType,
} from '../../../platform/metadata/resources/resource-type.ts';
import { PAGE_SCHEMA } from '../../../platform/records/pages/page-type.ts';
import { problemsByPlace } from '../../../platform/records/conditions/problems-by-place.ts';
import { authorOf, problemOfConditions, savedScope } from '../../../platform/records/conditions/saved-conditions.ts';
import {
  VIEW_CONTENT,
  type View,
  type ViewContent,
  type ViewParts,
} from '../../../platform/records/pages/view-content.ts';
import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { renamedView } from './renamed-view.ts';
import { problemsOfDisplay } from './view-display.ts';
import { MAX_VIEW_CONDITIONS } from '../../../platform/records/records.limits.ts';
import type { RuleSubject } from '../../../platform/records/conditions/row-rules.ts';
import { checkSortFields } from '../../../platform/records/conditions/sort-order.ts';
import { unknownField } from '../../../platform/records/conditions/unknown-field.ts';

/** Views that the configuration offers to a role, or to all. */
export const VIEW: ResourceType<ViewContent, View> = {
  name: 'VIEW',
  codePattern: '^[a-z][a-z0-9_-]{0,63}$',
  schema: VIEW_CONTENT,
  schemas: [FILTER_SCHEMA],
  notFound: 'There is no such view',
  unknownCode: '{code} is not a view',
  keep({ pid = '', content: { conditions = [], sortFields = [], columns = [], display = {}, ...rest } }) {
    return {
      pid,
      ...rest,
      conditions,
      sortFields,
      columns,
      display,
      scope: rest.role === undefined ? 'public' : 'role',
    };
  },
  check({ content }, after) {
    const page = after.find(PAGE_SCHEMA, content.pageKey);
    const model = page && after.find(MODEL, page.modelCode);
    const problems = model ? problemsOfView(content, model, authorOf(after.all(MODEL))) : {};
    return Object.fromEntries(Object.entries(problems).map(([path, problem]) => [`content.${path}`, problem]));
  },
  afterRenames: (content, renames, pages) => renamedView(content, pages.get(content.pageKey) ?? '', renames),
  references: ({ pageKey, role }) => [
    toResource('pageKey', PAGE_SCHEMA, pageKey),
    ...(role === undefined || BUILT_IN_ROLES.has(role) ? [] : [toResource('role', PERMISSION, role)]),
  ],
};

/** The views of the configuration by their pids. */
export function viewsByPid(configuration: Configuration): ReadonlyMap<string, View> {
  return new Map([...configuration.all(VIEW).values()].map((view) => [view.pid, view]));
}

/**
 * Problems of a view in view of its model: path -> problem.
 * @throws FORBIDDEN with `data.permission` for a field that the reader may not read
 */
export function problemsOfView(
  { conditions = [], sortFields = [], columns = [], display = {} }: ViewParts,
  model: Model,
  reader: RuleSubject,
): FieldErrors {
  const problems: FieldErrors = {};
  const scope = savedScope(model, reader);
  if (isLongerThan(JSON.stringify(conditions), MAX_VIEW_CONDITIONS)) {
    problems.conditions = text('must not be longer than {max} characters', { max: MAX_VIEW_CONDITIONS });
  } else {
    Object.assign(
      problems,
      problemsByPlace(conditions, 'conditions', (some) => problemOfConditions(some, scope)),
    );
  }
  checkSortFields(sortFields, scope, (index) => `sortFields.${index}.fieldName`, problems);
  for (const [index, code] of columns.entries()) {
    if (!scope.find(code)) problems[`columns.${index}`] = unknownField(model, code);
  }
  for (const [path, of] of Object.entries(problemsOfDisplay(display, model))) problems[`display.${path}`] = of;
  return problems;
}

/** Whether a view asks for nothing that the actor may not read. Columns are left out one by one. */
export function isUsable({ conditions, sortFields }: ViewParts, model: Model, reader: RuleSubject): boolean {
  try {
    return Object.keys(problemsOfView({ conditions, sortFields }, model, reader)).length === 0;
  } catch (error) {
    if (error instanceof ApplicationError && ['FORBIDDEN', 'VALIDATION_ERROR'].includes(error.code)) return false;
    throw error;
  }
}
