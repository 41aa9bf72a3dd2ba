import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { binFolder } from '../setup/folders.mjs';
import { findProgram, findPrograms } from '../setup/find-program.mjs';
import { withProgress } from '../setup/progress.mjs';
import { lastLines, runCommand } from '../setup/run-command.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';

/** The last version that `go install` can build: it refuses the replaced module of newer ones. */
const version = 'v1.5.1';

/** Oldest tested server version. */
const minimumServer = { major: 1, minor: 29 };

/**
 * Finds a Temporal CLI with a recent enough server, in PATH or the cache folder.
 * @returns {Promise<string | undefined>}
 */
export async function findTemporal() {
  for (const program of findPrograms(['temporal'])) {
    if (await isUsable(program)) return program;
  }
  return undefined;
}

async function isUsable(/** @type {string} */ program) {
  const { output } = await runCommand(program, ['--version']);
  const [, major = 0, minor = 0] = (/Server (\d+)\.(\d+)/.exec(output) ?? []).map(Number);
  return major > minimumServer.major || (major === minimumServer.major && minor >= minimumServer.minor);
}

/**
 * Downloads or builds the Temporal CLI into the cache folder.
 * @returns {Promise<string>} its path
 * @throws {SetupProblem} with the failed attempts
 */
export async function obtainTemporal() {
  mkdirSync(binFolder, { recursive: true });
  const troubles = [];
  for (const [name, obtain] of Object.entries({ Download: download, Build: build })) {
    // Completed under another name, so that a concurrent run never sees an incomplete program.
    const folder = mkdtempSync(join(binFolder, '.unfinished-'));
    try {
      await obtain(folder);
      const program = join(folder, 'temporal');
      if (!(await isUsable(program))) throw new Error('the result does not run');
      const place = join(binFolder, 'temporal');
      renameSync(program, place);
      return place;
    } catch (error) {
      troubles.push(`${name}: ${error instanceof Error ? error.message : error}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new SetupProblem(
    'Temporal is missing. Put the Temporal CLI into your PATH (macOS: `brew install temporal`; else see ' +
      `https://docs.temporal.io/cli), or install Go, or name a server by TEMPORAL_ADDRESS, then start again.\n` +
      lastLines(troubles.join('\n')),
  );
}

/** Downloads the official archive. The short timeout is for machines behind a firewall. */
async function download(/** @type {string} */ folder) {
  const platform = process.platform === 'darwin' ? 'darwin' : 'linux';
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const url = `https://temporal.download/cli/archive/${version}?platform=${platform}&arch=${arch}`;
  await withProgress('Downloading Temporal', async () => {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(new Error('no answer within 5 s')), 5_000);
    const answer = await fetch(url, { signal: giveUp.signal })
      .catch((error) => {
        throw new Error(`${url}: ${error.cause?.message ?? error.message}`);
      })
      .finally(() => clearTimeout(timer));
    setTimeout(() => giveUp.abort(new Error('not complete after 10 minutes')), 600_000).unref();
    if (!answer.ok || !answer.body) throw new Error(`${url} answers HTTP ${answer.status}`);
    const input = Readable.fromWeb(/** @type {import('node:stream/web').ReadableStream} */ (answer.body));
    const { code, output } = await runCommand('tar', ['-xzf', '-', '-C', folder], { input });
    if (code !== 0) throw new Error(`the archive cannot be unpacked: ${output}`);
  });
}

/** Builds it from source, through the Go module proxy. */
async function build(/** @type {string} */ folder) {
  const go = findProgram(['go'], ['/usr/local/go/bin', '/opt/homebrew/bin', join(homedir(), 'go', 'bin')]);
  if (!go) throw new Error('there is no Go on this machine');
  const source = `github.com/temporalio/cli/cmd/temporal@${version}`;
  await withProgress('Building Temporal from source, once (about 3 minutes on 2 cores)', async () => {
    // Debug tables are a third of the program's size.
    const { code, output } = await runCommand(go, ['install', '-ldflags=-s -w', source], {
      env: { ...process.env, GOBIN: folder },
    });
    if (code !== 0) throw new Error(`go install ${source}\n${output.split('\n').slice(-8).join('\n')}`);
  });
}
