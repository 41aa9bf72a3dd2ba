import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApplication } from '../../cli/app/application-files.ts';
import { formatProblem, parseSource, problemAt } from '../../cli/app/source-file.ts';
import { newApplication, write } from '../support/application.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keelson-files-'));
});
afterEach(() => rm(directory, { recursive: true }));

const problemsIn = async (folder: string): Promise<string[]> => {
  const { problems } = await readApplication(folder);
  return problems.map((problem) =>
    formatProblem(problem).slice(formatProblem(problem).indexOf(folder) + folder.length),
  );
};

describe('the directory of an application', () => {
  it('is read as resources, by path, with the name and the environment of keelson.yaml', async () => {
    const made = await newApplication(directory);
    const { manifest, resources, problems } = await readApplication(made);

    expect(problems).toEqual([]);
    expect(manifest).toEqual({ name: 'my-app', environment: 'dev', url: 'http://localhost:6443' });
    expect(resources.map(({ resourceType, code }) => `${resourceType}/${code}`)).toEqual([
      'COMMAND/desk:close_ticket',
      'COMMAND/desk:create_ticket',
      'COMMAND/desk:delete_ticket',
      'COMMAND/desk:update_ticket',
      'I18N/desk.en',
      'I18N/desk.zh-cn',
      'MODEL/ticket',
      'PAGE_SCHEMA/tickets',
      'PERMISSION/AGENT',
    ]);
  });

  it.each([
    ['resources/model/a.yaml', 'resourceType: MODEL\ncode: [a\n', /resources\/model\/a.yaml:\d:\d: Flow sequence/],
    [
      'resources/model/a.yaml',
      '- a\n',
      'resources/model/a.yaml:1:1: must have the keys resourceType, code and content',
    ],
    [
      'resources/model/a.yaml',
      'resourceType: MODEL\ncode: a\ncontent:\n  - 1.5\n  - 12345678901234567890\n',
      'a.yaml:5:5: the number 12345678901234567890 would be rounded: write it as a text, in quotes',
    ],
    ['resources/model/a.yaml', 'resourceType: MODEL\ncode: 7\ncontent: {}\n', 'a.yaml:2:7: code must be a text'],
    ['resources/model/a.yaml', 'resourceType: MODEL\ncode: a\n', 'a.yaml:1:1: content must be an object'],
    [
      'resources/a.yaml',
      'resourceType: M\ncode: a\ncontent: {}\ncolour: red\n',
      'a.yaml:4:9: colour is not a known key',
    ],
    [
      'resources/z.yaml',
      'resourceType: MODEL\ncode: ticket\ncontent: {}\n',
      /z.yaml:2:7: MODEL\/ticket is in .*ticket.yaml, too/,
    ],
    ['keelson.yaml', 'name: My App\n', 'keelson.yaml:1:7: name must match'],
  ])('tells where %s is wrong: %j', async (file, text, problem) => {
    const made = await newApplication(directory);
    await write(made, file, text);

    const [found = '', ...others] = await problemsIn(made);
    expect(others).toEqual([]);
    expect(found).toEqual(
      typeof problem === 'string' ? expect.stringContaining(problem) : expect.stringMatching(problem),
    );
  });

  it('is refused where it has no keelson.yaml', async () => {
    await expect(readApplication(directory)).rejects.toThrow('it has no keelson.yaml');
  });
});

describe('a place in a file', () => {
  const source = parseSource(
    'a.yaml',
    'content:\n  fields:\n    - { code: a, type: string }\n    - code: b\n      min: 7\n  messages:\n    crm.lead: x\n    crm.lead.name: y\n',
  );
  it.each([
    ['content.fields.0.type', 3, 24],
    ['content.fields.1.min', 5, 12],
    ['content.fields.1.max', 4, 7],
    ['content.fields', 2, 3],
    ['content.messages.crm.lead.name', 8, 20],
    ['content.messages.crm.lead', 7, 15],
    ['', 1, 1],
    ['elsewhere', 1, 1],
  ])('%s is found; what is missing counts as its parent', (place, line, column) => {
    expect(problemAt(source, place, 'is wrong')).toMatchObject({ file: 'a.yaml', line, column });
  });
});
