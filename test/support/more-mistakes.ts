import { command, custom, model, page, resource, type Mistake } from './mistakes.ts';

const automation = (content: string) => resource('AUTOMATION', 'a', `name: A\n${content}`);
const MANUAL = 'trigger: { type: manual }\n';
const NAP = '\nsteps: [{ id: w, type: wait, seconds: 1 }]';

export const MORE_MISTAKES: readonly Mistake[] = [
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
    16,
    /day: must be a date such as/,
  ],
  [
    'a boolean in a condition of a page',
    page('conditions: [{ fieldName: gone, operator: eq, value: "yes" }]'),
    7,
    16,
    /gone: must be true or false/,
  ],
  [
    'a variable in a condition of a page',
    page('conditions: [{ fieldName: day, operator: eq, value: $todya }]'),
    7,
    16,
    /did you mean \$today\?/,
  ],
  [
    'an operator of a condition',
    page('conditions: [{ fieldName: item, operator: contians, value: x }]'),
    7,
    16,
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
    16,
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
    'a computed field of another type',
    model(
      'fields: [{ code: n, name: N, type: integer, computed: record.n2 + "!" }, { code: n2, name: M, type: string }]',
    ),
    5,
    48,
    /says text, not number/,
  ],
  [
    'a pattern that is none',
    model("fields: [{ code: s, name: S, type: string, pattern: '[a' }]"),
    5,
    55,
    /is not a regular expression/,
  ],
];
