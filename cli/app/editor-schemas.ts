import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { offlineResourceChecks } from '../../src/offline.ts';
import { fileSchemaOf } from '../../src/platform/metadata/resources/file-schema.ts';
import type { ResourceFile } from './application-files.ts';

/** The folder of a type's resources and the name of its schema. */
export function folderOf(resourceType: string): string {
  return resourceType.toLowerCase().replaceAll('_', '-');
}

function schemaPath(directory: string, resourceType: string): string {
  return join(directory, '.keelson', 'schemas', `${folderOf(resourceType)}.json`);
}

/** The first line of a resource's file: where editors find its schema. */
export function schemaLine(directory: string, path: string, resourceType: string): string {
  return `# yaml-language-server: $schema=${relative(dirname(path), schemaPath(directory, resourceType))}\n`;
}

/** Writes the schemas by which editors complete and check an application's files. */
export async function writeSchemas(
  directory: string,
  resources: readonly Pick<ResourceFile, 'resourceType' | 'code'>[],
): Promise<void> {
  const { types } = offlineResourceChecks();
  const codes = Map.groupBy(resources, ({ resourceType }) => resourceType);
  for (const name of types.names) {
    const type = types.find(name);
    if (!type) continue;
    const schema = fileSchemaOf(type, (of) => (codes.get(of) ?? []).map(({ code }) => code));
    const path = schemaPath(directory, name);
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if ((await readFile(path, 'utf8').catch(() => null)) === text) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
