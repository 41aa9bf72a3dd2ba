import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger, type WorkflowBundleOption } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WORKFLOWS = join(ROOT, 'workflows');
const CACHE = join(ROOT, 'node_modules', '.cache', 'keelson');

/**
 * Bundle of the workflows for workers. Making it takes seconds, so it is cached under a digest of its
 * sources. On a read-only disk it is made at each start.
 */
export async function workflowBundle(logger?: Logger): Promise<WorkflowBundleOption> {
  const codePath = join(CACHE, `workflows-${await digestOfSources()}.js`);
  if (await exists(codePath)) return { codePath };
  const bundle = await bundleWorkflowCode({ workflowsPath: join(WORKFLOWS, 'index.ts'), ...(logger && { logger }) });
  return (await writeAtomically(codePath, bundle.code)) ? { codePath } : bundle;
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
