import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode, type Logger, type WorkflowBundleOption } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WORKFLOWS = join(ROOT, 'workflows');
const CACHE = join(ROOT, 'node_modules', '.cache', 'keelson');

const BUNDLER = join(ROOT, 'scripts', 'bundle-workflows.ts');

/**
 * Bundle of the workflows for workers. Making it takes seconds, so it is cached under a digest of its
 * sources. On a read-only disk it is made at each start.
 */
export async function workflowBundle(logger?: Logger): Promise<WorkflowBundleOption> {
  const codePath = await pathOfBundle();
  if (await exists(codePath)) return { codePath };
  // The bundler would keep 150 MiB of this process for good.
  await promisify(execFile)(process.execPath, [BUNDLER]).catch(() => undefined);
  return (await exists(codePath)) ? { codePath } : makeWorkflowBundle(logger);
}

/** Makes the bundle and stores it, where the disk can be written. */
export async function makeWorkflowBundle(logger?: Logger): Promise<WorkflowBundleOption> {
  const codePath = await pathOfBundle();
  const bundle = await bundleWorkflowCode({ workflowsPath: join(WORKFLOWS, 'index.ts'), ...(logger && { logger }) });
  return (await writeAtomically(codePath, bundle.code)) ? { codePath } : bundle;
}

async function pathOfBundle(): Promise<string> {
  return join(CACHE, `workflows-${await digestOfSources()}.js`);
}

/** Workflows import only one another and Temporal's packages, whose versions are in the lock file. */
async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const name of (await readdir(WORKFLOWS)).sort()) hash.update(name).update(await readFile(join(WORKFLOWS, name)));
  return hash.digest('hex').slice(0, 32);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

async function writeAtomically(path: string, code: string): Promise<boolean> {
  const unfinished = `${path}.${process.pid}`;
  try {
    await mkdir(CACHE, { recursive: true });
    await writeFile(unfinished, code);
    await rename(unfinished, path);
    return true;
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
    return false;
  }
}
