import { languageOf } from '../../foundation/http/language.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import { reply } from '../../foundation/http/reply.ts';
import { list, object, parameters, text } from '../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { fieldAt } from '../../platform/metadata/field-types/field-content.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { LIST_QUERY } from '../../platform/records/query/query-schema.ts';
import type { RecordsFeature } from '../records/records.feature.ts';
import { AUTOMATION } from './definition/automation-type.ts';

/** What to offer where the input of a run is filled in. */
export function automationOptionEndpoints(optionsOf: RecordsFeature['payloadOptions']): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/automations/:code/options/:field',
      access: [permissionCode.automationRun('{code}')],
      tag: 'Automations',
      summary: 'What can be chosen for a field of the input of a run',
      description: '`lines.item` is a field of the items of a list.',
      query: parameters({ keyword: LIST_QUERY.properties.keyword }),
      budget: 'lists',
      data: list(object({ value: text(), label: text() })),
      async handle({ actor, params: { code, field: path }, query: { keyword = '' }, request }) {
        const { input = [] } = actor.metadata.get(AUTOMATION, code).content;
        const field = fieldAt(input, path);
        if (!field) throw notFound('There is no such field with options');
        const of = { field, code: [code, ...path.split('.').slice(0, -1)].join('.') };
        return reply(await optionsOf(actor, of, keyword, languageOf(request)), { verbatim: true });
      },
    }),
  ];
}
