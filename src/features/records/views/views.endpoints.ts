import { Type } from 'typebox';
import { nameUpTo } from '../../../foundation/validation/formats.ts';
import {
  ANYTHING,
  list,
  NOTHING,
  object,
  oneOf,
  partial,
  PID,
  text,
  named,
  parameters,
} from '../../../foundation/validation/schema.ts';
import type { FilterContent } from '../../../platform/metadata/content/filter-content.ts';
import { endpoint, SIGNED_IN, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { MAX_CONDITIONS } from '../../../platform/records/records.limits.ts';
import { VIEW_PARTS, VIEW_SCOPES } from '../../../platform/records/pages/view-content.ts';
import { localizedName } from '../../../foundation/i18n/text.ts';
import type { View } from '../../../platform/records/pages/view-content.ts';
import type { ViewsService } from './views.service.ts';

const BASE = '/api/views';
const tag = 'Records';
const NAME = nameUpTo(200);
/** Compiling them judges them, with their model. */
const CONDITIONS = Type.Unsafe<FilterContent[]>(list(ANYTHING, { maxItems: MAX_CONDITIONS }));
const { sortFields: SORT_FIELDS, columns: COLUMNS, display: DISPLAY } = VIEW_PARTS;
const VIEW = named(
  'View',
  object(
    {
      pid: PID,
      name: text(),
      pageKey: text(),
      conditions: CONDITIONS,
      sortFields: list(object({ fieldName: text(), order: oneOf(['asc', 'desc']) })),
      columns: list(text()),
      display: DISPLAY,
      scope: oneOf(VIEW_SCOPES),
    },
    { role: text() },
  ),
);

/** Saved views. Those for a role or for all are VIEW resources; users make their own here. */
export function viewEndpoints(views: ViewsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access: SIGNED_IN,
      tag,
      summary: 'The views that the caller may use',
      query: parameters({ pageKey: text({ maxLength: 64 }) }),
      data: list(VIEW),
      handle: async ({ actor, query }) => (await views.list(actor, query.pageKey)).map(present),
    }),
    endpoint({
      method: 'POST',
      path: BASE,
      access: SIGNED_IN,
      tag,
      summary: "Save a view of one's own",
      body: object(
        { name: NAME, pageKey: text({ maxLength: 64 }) },
        {
          conditions: CONDITIONS,
          sortFields: SORT_FIELDS,
          columns: COLUMNS,
          display: DISPLAY,
          scope: oneOf(['private']),
        },
      ),
      data: VIEW,
      errors: ['FORBIDDEN', 'CONFLICT'],
      check: ({ actor, body }, errors) => views.check(actor, body, errors),
      handle: ({ actor, body }) => views.create(actor, body),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: 'One view',
      data: VIEW,
      handle: async ({ actor, params }) => present(await views.get(actor, params.pid)),
    }),
    endpoint({
      method: 'PATCH',
      path: `${BASE}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: "Change a view of one's own",
      body: partial({
        name: NAME,
        conditions: CONDITIONS,
        sortFields: SORT_FIELDS,
        columns: COLUMNS,
        display: DISPLAY,
      }),
      data: VIEW,
      errors: ['FORBIDDEN'],
      check: ({ actor, params, body }, errors) => views.checkChanges(actor, params.pid, body, errors),
      handle: ({ actor, params, body }) => views.update(actor, params.pid, body),
    }),
    endpoint({
      method: 'DELETE',
      path: `${BASE}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: "Remove a view of one's own",
      data: NOTHING,
      async handle({ actor, params }) {
        await views.delete(actor, params.pid);
        return null;
      },
    }),
  ];
}

/** The name of a view of the configuration may be a key; people name their own as they like. */
function present(view: View) {
  return view.scope === 'private' ? view : { ...view, name: localizedName(view.name) };
}
