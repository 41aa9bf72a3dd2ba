import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';

const DIST = new URL('../../../web/dist/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** How a browser may get it, the shortest first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];
const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** A file of the console, as it is sent. */
export interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer;
  readonly compressed: Readonly<Partial<Record<Encoding, Buffer>>>;
}

/** The files by their names below `folder`, read once; none where the console has not been built. */
export async function readBuiltFiles(folder: string): Promise<ReadonlyMap<string, BuiltFile>> {
  const names = await readdir(new URL(folder, DIST)).catch((): string[] => []);
  const files = names.filter((name) => TYPES[extname(name)] !== undefined);
  const read = (name: string) => readFile(new URL(folder + name, DIST));
  const entries = files.map(async (name) => {
    const content = await read(name);
    const variants = ENCODINGS.filter((encoding) => names.includes(name + SUFFIXES[encoding]));
    const bytes = variants.map(async (encoding) => [encoding, await read(name + SUFFIXES[encoding])] as const);
    const file: BuiltFile = {
      type: TYPES[extname(name)] ?? '',
      etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`,
      content,
      compressed: Object.fromEntries(await Promise.all(bytes)),
    };
    return [name, file] as const;
  });
  return new Map(await Promise.all(entries));
}
