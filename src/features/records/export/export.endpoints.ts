import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { languageOf } from '../../../foundation/http/language.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import { customReply } from '../../../foundation/http/reply.ts';
import type { HttpRequest, HttpResponse } from '../../../foundation/http/route.ts';
import { ANYTHING, BOOLEAN, described, oneOf, text, parameters } from '../../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../../../platform/records/pages/page-model.ts';
import { queryOfNames } from '../../../platform/records/query/record-query.ts';
import { LIST_QUERY } from '../../../platform/records/query/query-schema.ts';
import type { ViewsService } from '../views/views.service.ts';
import { checkExport, type RecordExports } from './record-exports.ts';
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS } from './export-format.ts';

const { pageNum: _pageNum, pageSize: _pageSize, count: _count, cursor: _cursor, ...ASKED } = LIST_QUERY.properties;

const EXPORT_QUERY = parameters(
  {
    ...ASKED,
    fields: described(
      "Codes of the fields, joined by commas, in their order; `@columns`: the view's or the page's. Without it those of the view, else all",
      text(),
    ),
    expand: described('As in a list; for `ndjson` alone', text()),
    header: described(
      'What the first row names columns by; `codes` where it is absent. `labels` adds the names of what fields refer to',
      oneOf(['codes', 'labels']),
    ),
    bom: described('Begin a CSV file with a byte order mark, as Excel likes it', BOOLEAN),
  },
  { format: oneOf(EXPORT_FORMAT_NAMES) },
);

/** Whole lists as files. */
export function exportEndpoints(exports: RecordExports, views: ViewsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/export',
      access: [permissionCode.recordRead('{modelCode}')],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'All records of a list as a file: CSV, XLSX or one JSON object per line',
      description:
        'Texts of a CSV file that begin like a formula get an apostrophe. A connection that breaks off means that the file is not complete.',
      query: EXPORT_QUERY,
      budget: 'lists',
      data: ANYTHING,
      media: {
        type: EXPORT_FORMATS.csv.mediaType,
        otherTypes: [EXPORT_FORMATS.xlsx.mediaType, EXPORT_FORMATS.ndjson.mediaType],
        description: 'A file',
      },
      errors: ['RATE_LIMITED'],
      async check({ actor, granted: model, params: { pageKey }, query: names, request }, errors) {
        const view = await views.findOfPage(actor, pageKey, names.viewId, errors);
        const subject = { pageKey, model, actor, view };
        const form = { format: names.format, titles: titlesOf(names, request) };
        return checkExport(queryOfNames, names, { ...form, subject }, errors);
      },
      async handle({ params: { pageKey }, query, checked, request }) {
        const { format, bom = false } = query;
        const file = await exports.open({ ...checked, format, titles: titlesOf(query, request), bom });
        const { mediaType, pack } = EXPORT_FORMATS[format];
        const headers = {
          'Content-Type': pack ? mediaType : `${mediaType}; charset=utf-8`,
          'Content-Disposition': `attachment; filename="${pageKey}.${format}"`,
          'Cache-Control': 'no-store',
        };
        return customReply((response) => send(response.set(headers), file));
      },
    }),
  ];
}

/** The language of the titles; null for codes. */
function titlesOf({ header }: { readonly header?: string | undefined }, request: HttpRequest): Language | null {
  return header === 'labels' ? languageOf(request) : null;
}

/** What fails now cuts the connection: no part of a file looks like a whole. */
async function send(response: HttpResponse, file: Readable): Promise<void> {
  if (response.req.method === 'HEAD') {
    file.destroy();
    return void response.end();
  }
  // There is no answer left to give: `RecordExports` logs why.
  await pipeline(file, response).catch(() => undefined);
}
