import { FILTER_SCHEMA } from '../../../platform/metadata/content/filter-content.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { PERMISSION } from '../../../platform/metadata/permissions/permission-type.ts';
import { BUILT_IN_ROLES } from '../../../platform/metadata/permissions/permissions.ts';
import { toResource } from '../../../platform/metadata/resources/references.ts';
import type { Configuration, ResourceType } from '../../../platform/metadata/resources/resource-type.ts';
import { PAGE_SCHEMA } from '../page-type.ts';
import { authorOf } from '../query/saved-conditions.ts';
import { VIEW_CONTENT, type View, type ViewContent } from '../view-content.ts';
import { problemsOfView } from './view-problems.ts';

/** Views that the configuration offers to a role, or to all. */
export const VIEW: ResourceType<ViewContent, View> = {
  name: 'VIEW',
  codePattern: '^[a-z][a-z0-9_-]{0,63}$',
  schema: VIEW_CONTENT,
  schemas: [FILTER_SCHEMA],
  notFound: 'There is no such view',
  unknownCode: '{code} is not a view',
  keep({ pid = '', content: { conditions = [], sortFields = [], columns = [], ...rest } }) {
    return { pid, ...rest, conditions, sortFields, columns, scope: rest.role === undefined ? 'public' : 'role' };
  },
  check({ content }, after) {
    const page = after.find(PAGE_SCHEMA, content.pageKey);
    const model = page && after.find(MODEL, page.modelCode);
    const problems = model ? problemsOfView(content, model, authorOf(after.all(MODEL))) : {};
    return Object.fromEntries(Object.entries(problems).map(([path, problem]) => [`content.${path}`, problem]));
  },
  references: ({ pageKey, role }) => [
    toResource('pageKey', PAGE_SCHEMA, pageKey),
    ...(role === undefined || BUILT_IN_ROLES.has(role) ? [] : [toResource('role', PERMISSION, role)]),
  ],
};

/** The views of the configuration by their pids. */
export function viewsByPid(configuration: Configuration): ReadonlyMap<string, View> {
  return new Map([...configuration.all(VIEW).values()].map((view) => [view.pid, view]));
}
