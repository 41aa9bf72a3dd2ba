import { languageOf } from '../../foundation/http/language.ts';
import { reply } from '../../foundation/http/reply.ts';
import { list, object, text, parameters } from '../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../../platform/records/pages/page-model.ts';
import { LIST_QUERY } from '../../platform/records/query/query-schema.ts';
import { MAX_OPTIONS } from '../../platform/records/records.limits.ts';
import type { RecordService } from './service/records.service.ts';

/** What to offer where a field is filled in. */
export function optionEndpoints(records: RecordService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/options/:fieldCode',
      access: [permissionCode.recordRead('{modelCode}')],
      errors: ['CONFLICT'],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'What can be chosen for a field',
      description: `Values of an enum; the newest ${MAX_OPTIONS} records that a relation may lead to; members, with \`user:lookup\`.`,
      query: parameters({ keyword: LIST_QUERY.properties.keyword }),
      budget: 'lists',
      data: list(object({ value: text(), label: text() })),
      async handle({ actor, granted: model, params: { pageKey, fieldCode }, query: { keyword = '' }, request }) {
        const language = languageOf(request);
        const found = await records.fieldOptions(actor, model.code, fieldCode, { pageKey, keyword, language });
        return reply(found, { verbatim: true });
      },
    }),
  ];
}
