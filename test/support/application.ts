import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { init } from '../../cli/app/init.ts';
import type { Invocation } from '../../cli/command-line.mjs';

/** An application in a folder of its own, as `keelson init my-app` makes it. */
export async function newApplication(folder: string): Promise<string> {
  const directory = join(folder, 'my-app');
  const output = { show: async () => undefined };
  await init({ output, args: [directory], options: {} } as unknown as Invocation);
  return directory;
}

export async function write(directory: string, file: string, text: string): Promise<void> {
  const path = join(directory, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
