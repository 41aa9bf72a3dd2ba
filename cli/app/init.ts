import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Invocation } from '../command-line.mjs';
import { EXIT, Failure } from '../outcome.mjs';
import { VERSION } from '../version.mjs';
import { readApplication } from './application-files.ts';
import { writeSchemas } from './editor-schemas.ts';
import { typesOfFiles } from './types.ts';

const TEMPLATE = fileURLToPath(new URL('../template/', import.meta.url));
/** What stands in the template for the application's name and the version of the command line. */
const NAME = /my-app/g;
const CLI_VERSION = 'CLI_VERSION';
/** As the workflow of the application checks them. */
const TYPES = 'keelson-app.d.ts';

/** Makes an application that works: a model, a page, commands, a role, texts, users, records and types. */
export async function init({ output, args: [given = ''] }: Invocation): Promise<number> {
  const directory = resolve(given);
  if (existsSync(directory) && (await readdir(directory)).some((name) => name !== '.git')) {
    throw new Failure(`${given} is not empty`);
  }
  const name = nameOf(basename(directory));
  const files = await templateFiles();
  for (const file of files) {
    const text = await readFile(join(TEMPLATE, file), 'utf8');
    const path = join(directory, nameInApplication(file));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text.replace(NAME, name).replaceAll(CLI_VERSION, VERSION), { flag: 'wx' });
  }
  const application = await readApplication(directory);
  await writeSchemas(directory, application.resources);
  await writeFile(join(directory, TYPES), typesOfFiles(application));
  const made = [...files.map(nameInApplication), TYPES];
  await output.show({ directory, name, files: made }, () => hints(given, made));
  return EXIT.ok;
}

async function templateFiles(): Promise<string[]> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(TEMPLATE, join(entry.parentPath, entry.name)))
    .sort();
}

/** npm leaves a `.gitignore` out of a package. */
function nameInApplication(file: string): string {
  return file === 'gitignore' ? '.gitignore' : file;
}

/** A name for `keelson.yaml` and the domain of the log-ins. */
function nameOf(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  if (name === '') throw new Failure(`${folder} gives no name: begin the directory's name with a letter`);
  return name.slice(0, 63);
}

function hints(given: string, files: readonly string[]): string {
  return [
    ...files.map((file) => `  ${join(given, file)}`),
    '',
    `Start with it:      npm start -- --app ${given}`,
    `Or, where Keelson runs already: cd ${given} && npm install && npm run apply`,
  ].join('\n');
}
