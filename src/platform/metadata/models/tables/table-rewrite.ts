import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import { text, type Text } from '../../../../foundation/i18n/text.ts';
import { FIELD_TYPES } from '../../field-types/field-types.ts';
import type { ExistingTable } from './existing-table.ts';
import type { ModelContent } from '../model-content.ts';
import { tableRules } from './table-rules.ts';
import { tableName } from '../model.ts';
import { CONSENT_TO_REWRITE_ROWS, REWRITTEN_BYTES_PER_SECOND } from '../models.limits.ts';

/** A change of types for which Postgres writes all records again; reads and writes wait for that. */
export interface TableRewrite {
  readonly message: Text;
  readonly details: { readonly fields: string; readonly rows: number; readonly seconds: number };
}

/** The rewrite that a model's next version takes, if it is so large that it needs consent. */
export async function rewriteToConsentTo(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  content: ModelContent,
  existing: ExistingTable | null,
): Promise<TableRewrite | null> {
  const fields = existing
    ? [...rewrittenFields(content, existing), ...newExclusions(modelCode, content, existing)].join(', ')
    : '';
  if (fields === '') return null;
  const name = tableName(environment, modelCode);
  const [size] = await sqlRunnerOf(em).query<{ rows: number; bytes: number }>(
    `select count(*)::int as rows, pg_total_relation_size('${name}')::float8 as bytes from ${name}`,
  );
  if (!size || size.rows <= CONSENT_TO_REWRITE_ROWS) return null;
  const seconds = Math.ceil(size.bytes / REWRITTEN_BYTES_PER_SECOND);
  const details = { fields, rows: size.rows, seconds };
  const message = '{fields}: {rows} records are written again in about {seconds} s, and are out of use meanwhile';
  return { message: text(message, details), details };
}

/** The starts of what must not overlap from now on: Postgres builds such a constraint at once. */
function newExclusions(modelCode: string, content: ModelContent, { indexes }: ExistingTable): string[] {
  const added = tableRules(modelCode, content).filter(({ kind, name }) => kind === 'EXCLUSION' && !indexes.has(name));
  return added.map(({ path }) => path);
}

/** A pid becomes a text as it is. */
const isSameOnDisk = (from: string, to: string): boolean => to === 'text' && from === FIELD_TYPES.relation.column;

function rewrittenFields({ fields }: ModelContent, existing: ExistingTable): string[] {
  return fields.flatMap(({ code, type }) => {
    const from = existing.columns.get(code)?.type;
    const to = FIELD_TYPES[type].column;
    return from === undefined || from === to || isSameOnDisk(from, to) ? [] : [code];
  });
}
