import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { quoteIdentifier } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { fieldsNaming, recordsNaming } from '../../files/file-references.ts';
import { isReadable } from '../query/field-selection.ts';
import { Parameters } from '../query/parameters.ts';
import { visibleRows } from '../query/record-select.ts';

/**
 * The files among these pids that the actor may read, because a field names them that the actor may read in a
 * record that the actor sees. The transaction has the tenant.
 */
export async function readableFiles(
  transaction: SqlRunner,
  actor: Actor,
  pids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { tenantId, metadata, permissions } = actor;
  const parameters = new Parameters();
  const selects: string[] = [];
  for (const { modelCode, fieldCode } of await fieldsNaming(
    transaction,
    { tenantId, environment: metadata.environment },
    pids,
  )) {
    const model = metadata.models.get(modelCode);
    const field = model?.fields.get(fieldCode);
    if (!model || field?.type !== 'file') continue;
    if (!permissions.has(permissionCode.recordRead(modelCode)) || !isReadable(field, permissions)) continue;
    const where = [...visibleRows(model, actor, parameters), `t.${quoteIdentifier(fieldCode)} = f.pid`];
    const named = recordsNaming('f.pid', parameters.add(modelCode), parameters.add(fieldCode));
    selects.push(`select f.pid from unnest(${parameters.add(pids)}::text[]) as f (pid) where exists (
      select from ${model.table} t where t.pid in (${named}) and ${where.join(' and ')})`);
  }
  if (selects.length === 0) return new Set();
  const found = await transaction.query<{ pid: string }>(selects.join(' union '), parameters.values);
  return new Set(found.map(({ pid }) => pid));
}
