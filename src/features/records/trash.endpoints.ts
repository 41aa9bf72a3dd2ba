import type { Database, Sql } from '../../foundation/database/pool.ts';
import { Parameters } from '../../foundation/database/parameters.ts';
import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import { reply } from '../../foundation/http/reply.ts';
import {
  named,
  nullable,
  object,
  openObject,
  parameters,
  PID,
  text,
  TIME,
  VERSION,
  type Static,
} from '../../foundation/validation/schema.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { Variables } from '../../platform/records/conditions/dynamic-values.ts';
import { compileFilters } from '../../platform/records/conditions/filter-condition.ts';
import { RelatedFields } from '../../platform/records/conditions/related-fields.ts';
import { orderBy, sortKeys } from '../../platform/records/conditions/sort-order.ts';
import { authorizeModel } from '../../platform/records/pages/page-model.ts';
import { LIST_QUERY } from '../../platform/records/query/query-schema.ts';
import { queryOfNames } from '../../platform/records/query/record-query.ts';
import {
  BEHIND_WALL,
  columns,
  keywordCondition,
  reachableRows,
  WALL,
} from '../../platform/records/query/record-select.ts';

const { keyword, filters, sortField, sortOrder, sortFields } = LIST_QUERY.properties;
const TRASH_QUERY = parameters({ ...PAGING_QUERY, keyword, filters, sortField, sortOrder, sortFields });
type TrashNames = Partial<Static<typeof TRASH_QUERY>>;

/**
 * A page of the deleted records that the actor would see if they were there, the last one first. The last
 * change of a deleted record is its deletion.
 * @param errors collects what is wrong with the names of a list
 */
function trashStatement(actor: Actor, model: Model, names: TrashNames, errors: FieldErrors): Sql {
  const { pageNum = 1, pageSize = 1, ...asked } = names;
  const { conditions, sortFields } = queryOfNames(asked, { pageKey: null, model, actor }, errors);
  const parameters = new Parameters();
  const where = [...reachableRows(model, actor, parameters), 't.deleted_at is not null', BEHIND_WALL];
  const fields = new RelatedFields(model, actor, parameters, new Variables(actor));
  where.push(...compileFilters(conditions.given, fields, parameters, {}));
  if (asked.keyword !== undefined) where.push(keywordCondition(model, actor.permissions, asked.keyword, parameters));
  const isSorted = (asked.sortField ?? asked.sortOrder ?? asked.sortFields) !== undefined;
  const known = Object.keys(errors).length === 0 ? sortKeys(sortFields, fields) : [];
  const order = isSorted ? orderBy(known) : 't.deleted_at desc, t.id desc';
  const page = `limit ${parameters.add(pageSize)}::int offset ${parameters.add((pageNum - 1) * pageSize)}::int`;
  const from = `from ${model.table} t${fields.joins} where ${where.join(' and ')}`;
  const records = `select ${columns(model, actor.permissions)}, t.deleted_at, t.updated_by as deleted_by, ${EXPANDED}
    ${from} order by ${order} ${page}`;
  const text = `${WALL} select c.total as "__total", r.* from wall
     cross join lateral (select count(*)::int as total ${from}) c
     left join lateral (${records}) r on true`;
  return { text, values: parameters.values };
}

/** Programs have no name. */
const EXPANDED = `json_build_object('deleted_by', (select json_build_object('pid', p.pid, 'username', p.username)
    from platform.people_of_tenant($1::bigint, array[t.updated_by]::text[]) p)) as expanded`;

const DELETED_RECORD = named(
  'DeletedRecord',
  openObject({
    id: text(),
    pid: PID,
    version: VERSION,
    deleted_at: TIME,
    deleted_by: text(),
    expanded: object({ deleted_by: nullable(object({ pid: PID, username: text() })) }),
  }),
);

/** What was deleted and can be restored. */
export function trashEndpoints(database: Database): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/trash',
      access: [permissionCode.recordRead('{modelCode}')],
      errors: ['CONFLICT'],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'Deleted records, the last one first where nothing else is asked for',
      description: '`record:restore` brings one back, `record:purge` erases it for good.',
      query: TRASH_QUERY,
      budget: 'lists',
      data: pageOf(DELETED_RECORD),
      check: ({ actor, granted: model, query }, errors) => trashStatement(actor, model, query, errors),
      async handle({ query: { pageNum, pageSize }, checked: { text: statement, values } }) {
        const rows = await database.queryRecords(statement, values);
        const total = Number(rows[0]?.__total ?? 0);
        const records = rows.filter(({ pid }) => pid !== null).map(({ __total, ...record }) => record);
        return reply({ records, total, pageNum, pageSize }, { verbatim: true });
      },
    }),
  ];
}
