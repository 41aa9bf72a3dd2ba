import type { FilesService } from '../../files/files.service.ts';
import type { SourceFile } from '../formats/import-row.ts';

/** The bytes of any file of a tenant. @throws NOT_FOUND */
export async function sourceOf(files: FilesService, filePid: string, tenantId: string): Promise<SourceFile> {
  const file = await files.findOfTenant(tenantId, filePid);
  return { size: Number(file.size), read: (range) => files.read(file, range) };
}
