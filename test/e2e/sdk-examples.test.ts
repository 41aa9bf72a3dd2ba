import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readApplication } from '../../cli/app/application-files.ts';
import { printTypes } from '../../cli/types/print-types.ts';
import { DEMO } from '../../scripts/database/load-application.ts';
import { offlineResourceChecks } from '../../src/offline.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { insert } from '../support/models.ts';
import { typeProblemsIn } from '../support/type-problems.ts';
import { newTenant, newUser, PASSWORD } from '../support/world.ts';

const SDK = new URL('../../sdk/src/index.ts', import.meta.url).pathname;
const run = promisify(execFile);

/** The examples of docs/sdk.md, one after the other, as they would stand in one file. */
async function exampleProgram(): Promise<string> {
  const text = await readFile(new URL('../../docs/sdk.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, example = '']) => example);
  expect(examples.length).toBeGreaterThan(8);
  return examples.join('\n').replaceAll("'@keelson/client'", `'${SDK}'`);
}

describe('the examples of docs/sdk.md', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-sdk-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('compile with the types of the demo', async () => {
    const { resources } = await readApplication(DEMO);
    const app = printTypes(new Snapshot('test', 0, resources, offlineResourceChecks().types));

    const files = { '/types/keelson-app.d.ts': app, '/types/examples.ts': await exampleProgram() };
    expect(typeProblemsIn(files)).toEqual([]);
  });

  it('run against the demo', async () => {
    const tenant = await newTenant();
    await insert(
      tenant,
      'lead',
      Array.from({ length: 160 }, (_, number) => ({ name: `n${number}`, status: 'new' })),
    );
    const user = await newUser(['ADMIN', 'SALES'], tenant);
    const program = (await exampleProgram())
      .replace('http://localhost:6443', process.env.KEELSON_TEST_URL ?? '')
      .replace('sales@acme.example', user.email)
      .replace('keelson-demo-1', PASSWORD);
    const file = join(folder, 'examples.mts');
    await writeFile(file, program);

    const { stdout } = await run(process.execPath, ['--no-warnings', file], { env: { PATH: process.env.PATH } });
    expect(stdout).toMatch(/^160 n\d+\nundefined\n/);
    expect(stdout).toMatch(/\nexecution \{[^]*status: 'SUCCEEDED'[^]*\nend /);
    expect(stdout).toMatch(/Alan Turing 1\nSUCCEEDED \d+\nSTATE\n/);
    expect(stdout).toMatch(/SUCCEEDED\n401\n\S+\n$/);
  });
});
