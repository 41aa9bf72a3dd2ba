import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApplication } from '../../cli/app/application-files.ts';
import { checkFiles } from '../../cli/app/check-files.ts';
import { DEMO } from '../../scripts/database/load-application.ts';
import { newApplication, write } from '../support/application.ts';

let folder: string;
let app: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-lint-'));
  app = await newApplication(folder);
});
afterEach(() => rm(folder, { recursive: true }));

const PAGE = (content: string): string => `resourceType: PAGE_SCHEMA\ncode: a\ncontent: { name: A, ${content} }\n`;
const COMMAND = (assert: string): string =>
  `resourceType: COMMAND\ncode: a:b\ncontent:\n  name: A\n  modelCode: ticket\n  operations: [UPDATE]\n  rules:\n    - assert: ${assert}\n      message: No\n`;
const SQL = (sql: string): string =>
  `resourceType: DATASOURCE\ncode: a\ncontent:\n  name: A\n  kind: sql\n  sql: ${sql}\n`;

describe('keelson lint', () => {
  it.each([['what keelson init makes'], ['the demo']])('finds nothing in %s', async (name) => {
    expect(await checkFiles(await readApplication(name === 'the demo' ? DEMO : app))).toEqual([]);
  });

  it.each([
    ['an unknown type', 'resourceType: MODELL\ncode: a\ncontent: {}\n', 1, /^resourceType must be one of .*MODEL, /],
    [
      'an unknown key',
      PAGE('modelCode: ticket, columns: [title], colour: red'),
      3,
      'content.colour is not a known key',
    ],
    [
      'a reference to nothing',
      'resourceType: COMMAND\ncode: a:b\ncontent: { name: A, modelCode: nothing, operations: [CREATE] }\n',
      3,
      'content.modelCode nothing is not a model',
    ],
    [
      'an unknown field',
      PAGE('modelCode: ticket, columns: [tittle]'),
      3,
      /^content\.columns\.0 is not a field of ticket/,
    ],
    ['an expression that is wrong', COMMAND('record.statis == "open"'), 8, /^content\.rules\.0\.assert .*statis/],
    ['SQL that is no query', SQL('delete from mt_ticket'), 6, /^content\.sql /],
    ['SQL over a table that is no model', SQL('select a.x from mt_nothing a'), 6, /^content\.sql /],
  ])('finds %s, at its line', async (_name, text, line, message) => {
    await write(app, 'resources/a.yaml', text);
    expect(await checkFiles(await readApplication(app))).toEqual([
      expect.objectContaining({
        file: expect.stringMatching(/my-app\/resources\/a\.yaml$/),
        line,
        severity: 'error',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    ]);
  });

  it('warns of permission codes that protect nothing', async () => {
    await write(
      app,
      'resources/a.yaml',
      'resourceType: PERMISSION\ncode: A\ncontent:\n  name: A\n  codes:\n    - record:read:nothing\n',
    );
    expect(await checkFiles(await readApplication(app))).toMatchObject([{ line: 6, column: 7, severity: 'warning' }]);
  });
});
