import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApplication } from '../../cli/app/application-files.ts';
import { checkFiles } from '../../cli/app/check-files.ts';
import { newApplication, write } from '../support/application.ts';

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
});
afterEach(() => rm(folder, { recursive: true }));

/** `content` is YAML whose first line is line 4 of the file. */
function resource(type: string, code: string, content: string): string {
  const lines = content.split('\n').map((line) => `  ${line}\n`);
  return `resourceType: ${type}\ncode: ${code}\ncontent:\n${lines.join('')}`;
}
const model = (content: string) => resource('MODEL', 'a', `name: A\n${content}`);
const page = (content: string) =>
  resource('PAGE_SCHEMA', 'a', `name: A\nmodelCode: rental\ncolumns: [item]\n${content}`);
const view = (content: string) => resource('VIEW', 'v', `name: V\npageKey: tickets\n${content}`);
const command = (content: string) =>
  resource('COMMAND', 'a:b', `name: A\nmodelCode: rental\noperations: [UPDATE]\n${content}`);
const automation = (content: string) => resource('AUTOMATION', 'a', `name: A\n${content}`);
const MANUAL = 'trigger: { type: manual }\n';
const NAP = '\nsteps: [{ id: w, type: wait, seconds: 1 }]';
const custom = (content: string) =>
  resource('COMMAND', 'a:b', `name: A\nmodelCode: rental\noperations: [CUSTOM]\n${content}`);

/** What is wrong, the file, and line, column and message of the one problem. */
const MISTAKES: [mistake: string, file: string, line: number, column: number, message: string | RegExp][] = [
  ['a key that is mistyped', page('colums: [item]'), 7, 3, 'content.colums is not a known key; did you mean columns?'],
  [
    'a type of field that is mistyped',
    model('fields: [{ code: x, name: X, type: strng }]'),
    5,
    38,
    /did you mean string\?/,
  ],
  [
    'a model that is mistyped',
    resource('PAGE_SCHEMA', 'a', 'name: A\nmodelCode: rentl\ncolumns: [item]'),
    5,
    14,
    /did you mean rental\?/,
  ],
  ['a field that is mistyped', page('sortFields: [{ fieldName: itm, order: asc }]'), 7, 29, /did you mean item\?/],
  [
    'an enum value in a condition of a page',
    page('conditions: [{ fieldName: state, operator: eq, value: retruned }]'),
    7,
    3,
    /retruned|must be one of/,
  ],
  [
    'an enum value in a view',
    view('conditions: [{ fieldName: status, operator: eq, value: opne }]'),
    6,
    3,
    /must be one of/,
  ],
  [
    'an enum value in a row rule',
    model(
      'fields: [{ code: s, name: S, type: enum, values: [open] }]\nrowRules: [{ name: R, conditions: [{ fieldName: s, operator: eq, value: opne }] }]',
    ),
    6,
    25,
    /must be one of/,
  ],
  [
    'an enum value in a query step',
    custom(
      'steps:\n  - id: q\n    type: query\n    modelCode: rental\n    filters: [{ fieldName: state, operator: eq, value: "\'retruned\'" }]',
    ),
    11,
    58,
    /did you mean returned\?/,
  ],
  [
    'an enum value in an expression',
    command('rules: [{ assert: record.state != "retruned", message: No }]'),
    7,
    21,
    /did you mean returned\?/,
  ],
  [
    'an enum value that a transition goes to',
    command('transition: { field: state, from: [open], to: retruned }'),
    7,
    49,
    /did you mean returned\?/,
  ],
  [
    'a label of another value',
    model('fields: [{ code: s, name: S, type: enum, values: [open], labels: { opne: O } }]'),
    5,
    76,
    /did you mean open\?/,
  ],
  [
    'a default that the enum does not have',
    model('fields: [{ code: s, name: S, type: enum, values: [open], default: opne }]'),
    5,
    69,
    /must be one of open/,
  ],
  [
    'a field of an expression that is mistyped',
    command('rules: [{ assert: record.stat == "open", message: No }]'),
    7,
    21,
    /stat; did you mean state\?/,
  ],
  [
    'a step that is not there',
    custom('steps:\n  - { id: one, type: set, values: { a: "1" } }\nresult: { a: steps.tow.a }'),
    9,
    16,
    /tow/,
  ],
  [
    'a number compared with a day',
    command('rules: [{ assert: record.day > 5, message: No }]'),
    7,
    21,
    /no such overload/,
  ],
  [
    'a day compared with the time',
    command('rules: [{ assert: record.day < now, message: No }]'),
    7,
    21,
    /no such overload/,
  ],
  [
    'an assert that is a text',
    command('rules: [{ assert: record.item, message: No }]'),
    7,
    21,
    /says string, not true or false/,
  ],
  [
    'a literal that its field cannot have',
    custom('steps:\n  - id: one\n    operation: CREATE\n    modelCode: rental\n    values: { price: "\'cheap\'" }'),
    11,
    24,
    /must be a decimal number/,
  ],
  ['a field in fields that is mistyped', command('fields: [item, pirce]'), 7, 18, /did you mean price\?/],
  [
    'fields that a transition sets',
    command('transition: { field: state, from: [open], to: returned }\nfields: [state]'),
    8,
    12,
    /is set by the command/,
  ],
  [
    'a rule against overlaps of a text',
    model(
      'fields: [{ code: s, name: S, type: string }, { code: e, name: E, type: date }]\nnoOverlap: [{ from: s, to: e }]',
    ),
    6,
    23,
    /is for fields of type date/,
  ],
  [
    'a check of a field that is mistyped',
    model('fields: [{ code: size, name: S, type: integer }]\nchecks: [{ assert: record.sise > 1, message: No }]'),
    6,
    22,
    /sise; did you mean size\?/,
  ],
  [
    'a role of an example',
    command("fields: '*'\nexamples: [{ name: E, as: AGENTT, expect: { result: {} } }]"),
    8,
    29,
    /did you mean AGENT\?/,
  ],
  [
    'a model that an example gives',
    command(
      "fields: '*'\nexamples: [{ name: E, given: [{ id: r, modelCode: rentl, values: {} }], expect: { result: {} } }]",
    ),
    8,
    53,
    /did you mean rental\?/,
  ],
  [
    'a field that an example gives',
    command(
      "fields: '*'\nexamples: [{ name: E, given: [{ id: r, modelCode: rental, values: { itme: x } }], expect: { result: {} } }]",
    ),
    8,
    77,
    /did you mean item\?/,
  ],
  [
    'a field that an example sends',
    command("fields: '*'\nexamples: [{ name: E, payload: { itme: x }, expect: { result: {} } }]"),
    8,
    42,
    /did you mean item\?/,
  ],
  [
    'a key that an example expects',
    command("fields: '*'\nexamples: [{ name: E, expect: { result: { itme: x } } }]"),
    8,
    51,
    /is not in the result; did you mean item\?/,
  ],
  [
    'an error that an example expects',
    command("fields: '*'\nexamples: [{ name: E, expect: { error: { code: CONFLCT } } }]"),
    8,
    50,
    /did you mean CONFLICT\?/,
  ],
  [
    'a permission that protects nothing',
    resource('PERMISSION', 'P', 'name: P\ncodes: [record:read:rentl]'),
    5,
    11,
    /did you mean record:read:rental\?/,
  ],
  [
    'an exemption that no role has',
    model(
      'fields: [{ code: s, name: S, type: string }]\nrowRules: [{ name: R, unless: record:all:a, conditions: [] }]',
    ),
    6,
    33,
    /no role has record:all:a/,
  ],
  [
    'an enum value in the filter of a trigger',
    automation(
      `trigger: { type: event, eventType: record.updated, modelCode: rental, filter: state == "retruned" }${NAP}`,
    ),
    5,
    81,
    /did you mean returned\?/,
  ],
  [
    'an enum value in the filter of a step that waits',
    automation(
      `${MANUAL}steps: [{ id: w, type: waitForEvent, eventType: record.updated, modelCode: rental, filter: event.result.state == "retruned" }]`,
    ),
    6,
    94,
    /did you mean returned\?/,
  ],
  [
    'an enum value in a query of an automation',
    automation(
      `${MANUAL}steps:\n  - id: q\n    type: query\n    modelCode: rental\n    filters: [{ fieldName: state, operator: eq, value: "'retruned'" }]`,
    ),
    10,
    58,
    /did you mean returned\?/,
  ],
  [
    'a day in a query of an automation',
    automation(
      `${MANUAL}steps:\n  - id: q\n    type: query\n    modelCode: rental\n    filters: [{ fieldName: day, operator: gt, value: "'31.12.2026'" }]`,
    ),
    10,
    56,
    /must be a date such as/,
  ],
  [
    'an enum value that an automation gives to a command',
    automation(
      `${MANUAL}steps: [{ id: c, type: command, commandCode: "desk:create_ticket", operationType: CREATE, payload: { status: "'opne'" } }]`,
    ),
    6,
    112,
    /did you mean open\?/,
  ],
  [
    'a field that an automation gives to a command',
    automation(
      `${MANUAL}steps: [{ id: c, type: command, commandCode: "desk:create_ticket", operationType: CREATE, payload: { titel: "'a'" } }]`,
    ),
    6,
    111,
    /did you mean title\?/,
  ],
  [
    'the role of an approval',
    automation(`${MANUAL}steps: [{ id: a, type: approval, role: AGENTT }]`),
    6,
    42,
    /did you mean AGENT\?/,
  ],
  [
    'an event that nothing emits, of a trigger',
    automation(`trigger: { type: event, eventType: "desk:close_tickte" }${NAP}`),
    5,
    38,
    'content.trigger.eventType nothing emits desk:close_tickte; did you mean desk:close_ticket?',
  ],
  [
    'an event that nothing emits, of a step that waits',
    automation(`${MANUAL}steps: [{ id: w, type: waitForEvent, eventType: record.updatd }]`),
    6,
    51,
    /nothing emits record\.updatd; did you mean record\.updated\?/,
  ],
  [
    'a time zone that is not there',
    automation(`trigger: { type: schedule, cron: "1 * * * *", timezone: Asia/Shanghia }\nrunAs: ADMIN${NAP}`),
    5,
    59,
    /is not the name of a time zone/,
  ],
  [
    'a day that is written otherwise, in an expression',
    command("fields: '*'\nrules: [{ assert: record.day > '31.12.2026', message: No }]"),
    8,
    21,
    /"31\.12\.2026" must be a date such as 2026-01-31/,
  ],
  [
    'a decimal that is compared with a word',
    command("fields: '*'\nrules: [{ assert: record.price == 'cheap', message: No }]"),
    8,
    21,
    /"cheap" must be a decimal number/,
  ],
  [
    'a boolean that is compared with a text',
    command("fields: '*'\nrules: [{ assert: record.gone == 'true', message: No }]"),
    8,
    21,
    /no such overload: dyn<bool> == string/,
  ],
  [
    'a boolean that is compared with a number',
    command("fields: '*'\nrules: [{ assert: record.gone == 1, message: No }]"),
    8,
    21,
    /no such overload: dyn<bool> == int/,
  ],
  [
    'a day in a condition of a page',
    page('conditions: [{ fieldName: day, operator: eq, value: 31.12.2026 }]'),
    7,
    3,
    /day: must be a date such as/,
  ],
  [
    'a boolean in a condition of a page',
    page('conditions: [{ fieldName: gone, operator: eq, value: "yes" }]'),
    7,
    3,
    /gone: must be true or false/,
  ],
  [
    'a variable in a condition of a page',
    page('conditions: [{ fieldName: day, operator: eq, value: $todya }]'),
    7,
    3,
    /did you mean \$today\?/,
  ],
  [
    'an operator of a condition',
    page('conditions: [{ fieldName: item, operator: contians, value: x }]'),
    7,
    3,
    /did you mean contains\?/,
  ],
  [
    'an enum value of a data source',
    resource(
      'DATASOURCE',
      'd',
      'name: D\nkind: model\nmodelCode: rental\nfields: [item]\nconditions: [{ fieldName: state, operator: eq, value: retruned }]',
    ),
    8,
    3,
    /did you mean returned\?/,
  ],
  [
    'an enum value that an example sends',
    command("fields: '*'\nexamples: [{ name: E, payload: { state: retruned }, expect: { result: {} } }]"),
    8,
    43,
    /did you mean returned\?/,
  ],
  [
    'an enum value that an example gives',
    command(
      "fields: '*'\nexamples: [{ name: E, given: [{ id: r, modelCode: rental, values: { state: retruned } }], expect: { result: {} } }]",
    ),
    8,
    78,
    /did you mean returned\?/,
  ],
  [
    'a value of another type that an example gives',
    command(
      "fields: '*'\nexamples: [{ name: E, given: [{ id: r, modelCode: rental, values: { price: cheap } }], expect: { result: {} } }]",
    ),
    8,
    78,
    /must be a decimal number/,
  ],
  [
    'an enum value that an example expects',
    command("fields: '*'\nexamples: [{ name: E, payload: { item: x }, expect: { result: { state: retruned } } }]"),
    8,
    74,
    /did you mean returned\?/,
  ],
  ['a page that is mistyped', resource('VIEW', 'v', 'name: V\npageKey: ticktes'), 5, 12, /did you mean tickets\?/],
  [
    'an operation that is mistyped',
    resource('COMMAND', 'a:b', 'name: A\nmodelCode: rental\noperations: [UPDTE]'),
    6,
    16,
    /did you mean UPDATE\?/,
  ],
  [
    'the field of a query of an automation',
    automation(
      `${MANUAL}steps:\n  - id: q\n    type: query\n    modelCode: rental\n    filters: [{ fieldName: stat, operator: eq, value: "1" }]`,
    ),
    10,
    30,
    /did you mean state\?/,
  ],
  [
    'a field that a step writes',
    custom('steps:\n  - id: one\n    operation: CREATE\n    modelCode: rental\n    values: { stat: "\'open\'" }'),
    11,
    23,
    /did you mean state\?/,
  ],
  [
    'a day that a step writes',
    custom('steps:\n  - id: one\n    operation: CREATE\n    modelCode: rental\n    values: { day: "\'31.12.2026\'" }'),
    11,
    22,
    /must be a date such as/,
  ],
  [
    'a demand that is a number',
    custom('steps: [{ id: one, type: require, assert: "1", message: M }]'),
    7,
    45,
    /says int, not true or false/,
  ],
  [
    'a default that is no day',
    model('fields: [{ code: s, name: S, type: date, default: $todya }]'),
    5,
    53,
    /must be a date such as/,
  ],
  [
    'a target that is mistyped',
    model('fields: [{ code: s, name: S, type: relation, target: rentl }]'),
    5,
    56,
    /did you mean rental\?/,
  ],
  [
    'a pattern that is none',
    model("fields: [{ code: s, name: S, type: string, pattern: '[a' }]"),
    5,
    55,
    /is not a regular expression/,
  ],
  [
    'a text that no language has',
    command("fields: '*'\nrules: [{ assert: 'true', message: '$i18n:desk.not_postpond' }]"),
    8,
    38,
    /did you mean desk\.not_postponed\?/,
  ],
];

describe('a mistake in the files of an application', () => {
  it.each(MISTAKES)('is told with its line and column: %s', async (_mistake, text, line, column, message) => {
    await write(app, 'resources/mistake.yaml', text);
    const problems = (await checkFiles(await readApplication(app))).filter(({ file }) => /mistake\.yaml$/.test(file));
    // A model that is not there is told at each of its fields, too.
    expect(problems[0]).toMatchObject({
      line,
      column,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    expect(problems.length).toBeLessThan(3);
  });

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
    expect(await checkFiles(await readApplication(app))).toEqual([
      expect.objectContaining({
        line: 7,
        severity: 'warning',
        message: 'content.messages.shop.b is not in shop.zh-cn',
      }),
    ]);
  });
});
