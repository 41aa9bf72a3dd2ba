import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { insert, newCode } from '../support/models.ts';
import { newTenant, newUser, PASSWORD } from '../support/world.ts';

const run = promisify(execFile);

/** The shell examples of pages of the documentation, one after the other. */
async function examplesOf(...pages: string[]): Promise<string> {
  const texts = await Promise.all(
    pages.map((page) => readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')),
  );
  return texts.flatMap((text) => [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, example]) => example)).join('\n');
}

describe('the examples of docs/records.md and docs/files.md', () => {
  let folder: string;
  let stdout: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-docs-'));
    const tenant = await newTenant();
    const [user, admin] = [await newUser(['SALES'], tenant), await newUser(['PLATFORM_ADMIN'], tenant)];
    const [account] = await insert(tenant, 'account', [{ name: 'Acme' }]);
    await insert(tenant, 'deal', [{ name: 'One', account }]);
    await insert(tenant, 'lead', [{ name: 'Ada', status: 'open', amount: '9000' }]);
    const script = ['person', 'club', 'membership']
      .reduce(
        (text, code) => text.replaceAll(new RegExp(`(?<![a-z])${code}\\b`, 'g'), newCode()),
        await examplesOf('records', 'files'),
      )
      .replaceAll('localhost:6443', new URL(process.env.KEELSON_TEST_URL ?? '').host)
      .replaceAll('sales@acme.example', user.email)
      .replaceAll('admin@acme.example', admin.email)
      .replaceAll('keelson-demo-1', PASSWORD);
    const options = { cwd: folder, env: { PATH: process.env.PATH }, maxBuffer: 64 * 1024 * 1024 };
    ({ stdout } = await run('/bin/bash', ['-euo', 'pipefail', '-c', script], options));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('run against the demo, without a refusal', () => {
    expect([...stdout.matchAll(/\{"code":"[A-Z_]+"[^\n]{0,300}/g)].map(([refusal]) => refusal)).toEqual([]);
    expect(stdout.match(/\{"code":"0"/g)?.length).toBeGreaterThan(25);
  });

  it('relate records through another model', () => {
    expect(stdout).toMatch(/"clubs":\{"records":\[\{[^\]]*"name":"Chess"[^\]]*\],"total":1\}/);
  });

  it('import what was uploaded, and what was exported', () => {
    expect(stdout).toContain('event: end');
    const states = [...stdout.matchAll(/^\{\n[^]*?^\}/gm)].map(([state]) => JSON.parse(state));
    expect(states.filter(({ done }) => done !== undefined)).toMatchObject([
      { status: 'SUCCEEDED', total: 2, done: 2, created: 1, failed: 1 },
      { status: 'SUCCEEDED', created: 0, updated: expect.any(Number), failed: 0, dryRun: true },
    ]);
    expect(stdout).toContain('row,column,code,message\r\n3,Sum,VALIDATION_ERROR,must be a decimal number\r\n');
  });
});
