/** `content` is YAML whose first line is line 4 of the file. */
export function resource(type: string, code: string, content: string): string {
  const lines = content.split('\n').map((line) => `  ${line}\n`);
  return `resourceType: ${type}\ncode: ${code}\ncontent:\n${lines.join('')}`;
}
export const model = (content: string) => resource('MODEL', 'a', `name: A\n${content}`);
export const page = (content: string) =>
  resource('PAGE_SCHEMA', 'a', `name: A\nmodelCode: rental\ncolumns: [item]\n${content}`);
const view = (content: string) => resource('VIEW', 'v', `name: V\npageKey: tickets\n${content}`);
export const command = (content: string) =>
  resource('COMMAND', 'a:b', `name: A\nmodelCode: rental\noperations: [UPDATE]\n${content}`);
export const creation = (content: string) =>
  resource('COMMAND', 'a:b', `name: A\nmodelCode: rental\noperations: [CREATE]\n${content}`);
export const custom = (content: string) =>
  resource('COMMAND', 'a:b', `name: A\nmodelCode: rental\noperations: [CUSTOM]\n${content}`);

/** What is wrong, the file, and line, column and message of the one problem. */
export type Mistake = [mistake: string, file: string, line: number, column: number, message: string | RegExp];

export const MISTAKES: readonly Mistake[] = [
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
    16,
    /did you mean returned\?/,
  ],
  [
    'an enum value in a view',
    view('conditions: [{ fieldName: status, operator: eq, value: opne }]'),
    6,
    16,
    /must be one of/,
  ],
  [
    'an enum value in a row rule',
    model(
      'fields: [{ code: s, name: S, type: enum, values: [open] }]\nrowRules: [{ name: R, conditions: [{ fieldName: s, operator: eq, value: opne }] }]',
    ),
    6,
    38,
    /did you mean open\?/,
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
    creation("fields: '*'\nexamples: [{ name: E, as: AGENTT, expect: { result: {} } }]"),
    8,
    29,
    /did you mean AGENT\?/,
  ],
  [
    'a model that an example gives',
    creation(
      "fields: '*'\nexamples: [{ name: E, given: [{ id: r, modelCode: rentl, values: {} }], expect: { result: {} } }]",
    ),
    8,
    53,
    /did you mean rental\?/,
  ],
  [
    'a field that an example gives',
    creation(
      "fields: '*'\nexamples: [{ name: E, given: [{ id: r, modelCode: rental, values: { itme: x } }], expect: { result: {} } }]",
    ),
    8,
    77,
    /did you mean item\?/,
  ],
  [
    'a field that an example sends',
    creation("fields: '*'\nexamples: [{ name: E, payload: { itme: x }, expect: { result: {} } }]"),
    8,
    42,
    /did you mean item\?/,
  ],
  [
    'a key that an example expects',
    creation("fields: '*'\nexamples: [{ name: E, expect: { result: { itme: x } } }]"),
    8,
    51,
    /is not in the result; did you mean item\?/,
  ],
  [
    'an error that an example expects',
    creation("fields: '*'\nexamples: [{ name: E, expect: { error: { code: CONFLCT } } }]"),
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
    'a text that no language has',
    command("fields: '*'\nrules: [{ assert: 'true', message: '$i18n:desk.not_postpond' }]"),
    8,
    38,
    /did you mean desk\.not_postponed\?/,
  ],
];
