import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;

/** Of these files, those whose text Git does not have; all of them outside a repository. */
export async function uncommitted(directory: string, files: readonly string[]): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const options = { cwd: directory, maxBuffer: MAX_BYTES };
  try {
    const { stdout: top } = await run('git', ['rev-parse', '--show-toplevel'], options);
    const { stdout } = await run(
      'git',
      ['status', '--porcelain', '-z', '--ignored', '--untracked-files=all', '.'],
      options,
    );
    // A rename has its former name as an entry of its own, which no file has.
    const paths = new Set(stdout.split('\0').map((entry) => `${top.trim()}/${entry.slice(3)}`));
    return files.filter((file) => paths.has(file));
  } catch {
    return files;
  }
}
