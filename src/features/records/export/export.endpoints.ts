import { parameters } from '../../../foundation/http/read-request.ts';
import { languageOf } from '../../../foundation/http/language.ts';
import { customReply } from '../../../foundation/http/reply.ts';
import { translateName, type Language } from '../../../foundation/i18n/languages.ts';
import { ANYTHING, BOOLEAN, described, oneOf, text } from '../../../foundation/validation/schema.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { PAGE_SCHEMA } from '../page-type.ts';
import { authorizeModel } from '../pages/page-model.ts';
import { isReadable } from '../query/field-selection.ts';
import { ignoredHeader, namesOfFields, queryOfNames } from '../query/record-query.ts';
import { LIST_QUERY } from '../query/query-schema.ts';
import type { ViewsService } from '../views/views.service.ts';
import type { ExportColumn } from './export-column.ts';
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS } from './export-format.ts';
import type { RecordExports } from './record-exports.ts';

const { pageNum: _pageNum, pageSize: _pageSize, count: _count, cursor: _cursor, ...ASKED } = LIST_QUERY.properties;

const EXPORT_QUERY = parameters(
  {
    ...ASKED,
    fields: described(
      "Codes of the fields, joined by commas, in their order; `@columns`: the view's or the page's. Without it those of the view, else all",
      text(),
    ),
    expand: described('As in a list; for `ndjson` alone', text()),
    header: described('What the first row names columns by; `codes` where it is absent', oneOf(['codes', 'labels'])),
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
      async check({ actor, granted: model, params: { pageKey }, query: names }, errors) {
        if (names.expand !== undefined && names.format && EXPORT_FORMATS[names.format].isTable) {
          errors.expand = 'is for ndjson alone';
        }
        const view = await views.findOfPage(actor, pageKey, names.viewId, errors);
        const fields = names.fields ?? (view && view.columns.length > 0 ? '@columns' : undefined);
        const subject = { pageKey, model, actor, view };
        const query = queryOfNames({ ...names, ...(fields !== undefined && { fields }) }, subject, errors);
        return { query, codes: fields === undefined ? null : namesOfFields(fields, subject) };
      },
      async handle({ actor, granted: model, params: { pageKey }, query: names, checked: { query, codes }, request }) {
        const language = names.header === 'labels' ? languageOf(request) : null;
        const { mediaType, encoderOf, pack } = EXPORT_FORMATS[names.format];
        const encoder = encoderOf(columnsOf(codes, pageKey, model, actor, language), { bom: names.bom ?? false });
        const headers = {
          'Content-Type': pack ? mediaType : `${mediaType}; charset=utf-8`,
          'Content-Disposition': `attachment; filename="${pageKey}.${names.format}"`,
          ...ignoredHeader(request.query, EXPORT_QUERY),
        };
        return customReply((response) => exports.send(response, { actor, model, query, encoder, headers, pack }));
      },
    }),
  ];
}

/** @param language that of the titles; null: titles are codes */
function columnsOf(
  codes: readonly string[] | null,
  pageKey: string,
  model: Model,
  { metadata, permissions }: Actor,
  language: Language | null,
): ExportColumn[] {
  const readable = [...model.fields.values()].filter((field) => isReadable(field, permissions));
  const labels = new Map(metadata.get(PAGE_SCHEMA, pageKey).columns.map(({ fieldName, label }) => [fieldName, label]));
  return [...new Set(codes ?? readable.map(({ code }) => code))].flatMap((code) => {
    const field = model.fields.get(code);
    if (!field) return [];
    const name = labels.get(code) ?? field.content?.name ?? code;
    return { code, type: field.type, title: language ? translateName(name, language) : code };
  });
}
