import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApplication } from '../../cli/app/application-files.ts';
import { checkFiles } from '../../cli/app/check-files.ts';
import { newApplication, write } from '../support/application.ts';
import { command, MISTAKES, page, resource } from '../support/mistakes.ts';
import { MORE_MISTAKES } from '../support/more-mistakes.ts';
import { VALUE_MISTAKES } from '../support/value-mistakes.ts';
import { WORK_MISTAKES } from '../support/work-mistakes.ts';

let folder: string;
let app: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-mistakes-'));
  app = await newApplication(folder);
  await write(
    app,
    'resources/rental.yaml',
    resource(
      'MODEL',
      'rental',
      'name: Rental\nfields:\n  - { code: item, name: Item, type: string, maxLength: 50 }\n  - { code: day, name: Day, type: date }\n  - { code: price, name: Price, type: decimal }\n  - { code: gone, name: Gone, type: boolean }\n  - { code: state, name: State, type: enum, values: [open, returned] }',
    ),
  );
  await write(
    app,
    'resources/product.yaml',
    resource(
      'MODEL',
      'product',
      'name: P\nfields:\n  - { code: sku, name: S, type: string, maxLength: 20, unique: true }\n  - { code: data, name: D, type: json }',
    ),
  );
  await write(
    app,
    'resources/stay.yaml',
    resource('MODEL', 'stay', 'name: S\nfields: [{ code: guest, name: G, type: relation, target: product }]'),
  );
});
afterEach(() => rm(folder, { recursive: true }));

describe('a mistake in the files of an application', () => {
  it.each([...MISTAKES, ...MORE_MISTAKES, ...VALUE_MISTAKES, ...WORK_MISTAKES])(
    'is told with its line and column: %s',
    async (_mistake, text, line, column, message) => {
      await write(app, 'resources/mistake.yaml', text);
      const problems = (await checkFiles(await readApplication(app))).filter(({ file }) => /mistake\.yaml$/.test(file));
      // A model that is not there is told at each of its fields, too.
      expect(problems[0]).toMatchObject({
        line,
        column,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      });
      expect(problems.length).toBeLessThan(3);
    },
  );

  it('is told with those of all other files, whatever kind they are of', async () => {
    await write(app, 'resources/one.yaml', page('colums: [item]'));
    await write(
      app,
      'resources/two.yaml',
      command("fields: '*'\nrules: [{ assert: record.stat == 'open', message: No }]"),
    );
    await write(app, 'resources/view.yaml', resource('VIEW', 'w', 'name: W\npageKey: a\ncolumns: [item]'));
    const problems = await checkFiles(await readApplication(app));
    expect(problems.map(({ file }) => file.split('/').at(-1)).sort()).toEqual(['one.yaml', 'two.yaml']);
  });

  it('is told with those of what refers to the wrong file, and with warnings, but for what only follows from it', async () => {
    await write(
      app,
      'resources/shop.yaml',
      resource(
        'MODEL',
        'shop',
        'name: S\nfields:\n  - { code: item, name: I, type: strng }\n  - { code: state, name: S, type: enum, values: [open, returned] }',
      ),
    );
    await write(
      app,
      'resources/shop_command.yaml',
      resource(
        'COMMAND',
        's:c',
        "name: C\nmodelCode: shop\noperations: [UPDATE]\nfields: [item, staet]\nrules:\n  - { assert: record.item == 'a', message: No }\n  - { assert: record.state == 'opne', message: No }",
      ),
    );
    await write(app, 'resources/unreadable.yaml', 'resourceType: PAGE_SCHEMA\ncode: q\ncontent:\n  name: "P\n');
    await write(app, 'resources/view.yaml', resource('VIEW', 'w', 'name: W\npageKey: q'));
    await write(app, 'resources/role.yaml', resource('PERMISSION', 'P', 'name: P\ncodes: [record:read:shp]'));

    const told = async () =>
      (await checkFiles(await readApplication(app)))
        .map(({ file, line, message }) => `${file.split('/').at(-1)}:${line} ${message}`)
        .sort();

    const errors = [
      expect.stringMatching(/^shop\.yaml:6 .* did you mean string\?/),
      expect.stringMatching(/^shop_command\.yaml:10 .*"opne" is not one of open, returned/),
      'shop_command.yaml:7 content.fields.1 is not a field of shop; did you mean state?',
    ];
    expect(await told()).toEqual([...errors, expect.stringMatching(/^unreadable\.yaml:/)]);
    await rm(join(app, 'resources/unreadable.yaml'));
    await rm(join(app, 'resources/view.yaml'));
    expect(await told()).toEqual([expect.stringMatching(/^role\.yaml:5 .*protects nothing/), ...errors]);
  });

  it('is a text that one language has and another lacks', async () => {
    await write(
      app,
      'resources/shop.en.yaml',
      resource('I18N', 'shop.en', 'locale: en\nmessages:\n  shop.a: A\n  shop.b: B'),
    );
    await write(
      app,
      'resources/shop.zh.yaml',
      resource('I18N', 'shop.zh-cn', 'locale: zh-CN\nmessages:\n  shop.a: 甲'),
    );
    await write(
      app,
      'resources/shop.yaml',
      resource('MODEL', 'shop', 'name: $i18n:shop.a\nfields: [{ code: n, name: $i18n:shop.b, type: integer }]'),
    );
    expect(await checkFiles(await readApplication(app))).toEqual([
      expect.objectContaining({
        line: 7,
        severity: 'warning',
        message: 'content.messages.shop.b is not in shop.zh-cn',
      }),
    ]);
  });
});
