import type { FilesService } from '../../../platform/files/files.service.ts';
import type { ImportRecord } from '../data-import.entity.ts';
import type { SourceFile } from '../formats/import-row.ts';

/** The bytes of the file of an import. @throws NOT_FOUND */
export async function sourceOf(
  files: FilesService,
  { filePid, tenantId }: Pick<ImportRecord, 'filePid' | 'tenantId'>,
): Promise<SourceFile> {
  const file = await files.findOfTenant(tenantId, filePid);
  return { size: Number(file.size), read: (range) => files.read(file, range) };
}
