import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger, type WorkflowBundleOption } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WORKFLOWS = join(ROOT, 'workflows');
const CACHE = join(ROOT, 'node_modules', '.cache', 'keelson');

/**
 * The workflows as workers run them, in one file. To make it takes seconds, so it is kept for the next start, under a name that
 * says of what it was made. Where nothing can be kept, as on a read-only disk, it is made each time.
 */
export async function workflowBundle(logger?: Logger): Promise<WorkflowBundleOption> {
  const codePath = join(CACHE, `workflows-${await digestOfSources()}.js`);
  if (await exists(codePath)) return { codePath };
  const bundle = await bundleWorkflowCode({ workflowsPath: join(WORKFLOWS, 'index.ts'), ...(logger && { logger }) });
  return (await keep(codePath, bundle.code)) ? { codePath } : bundle;
}

/** Workflows import nothing but one another and Temporal's packages, whose versions the lock file has. */
async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const name of (await readdir(WORKFLOWS)).sort()) hash.update(name).update(await readFile(join(WORKFLOWS, name)));
  return hash.digest('hex').slice(0, 32);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** Completed beside its place: nobody ever reads half of it. */
async function keep(path: string, code: string): Promise<boolean> {
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
