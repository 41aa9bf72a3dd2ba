import { command, creation, custom, model, page, resource, type Mistake } from './mistakes.ts';

const automation = (content: string) => resource('AUTOMATION', 'a', `name: A\n${content}`);
const MANUAL = 'trigger: { type: manual }\n';
const NAP = '\nsteps: [{ id: w, type: wait, seconds: 1 }]';
/** A command whose step writes one value, in line 11. */
const written = (value: string, payload = '{ code: kind, name: K, type: enum, values: [gone, opne] }') =>
  custom(
    `target: true\npayload: [${payload}]\nsteps:\n  - { id: one, operation: CREATE, modelCode: rental, values: { ${value} } }`,
  );
const source = (content: string) => resource('DATASOURCE', 'd', `name: D\nkind: sql\n${content}`);
const tile = (content: string) =>
  resource('DASHBOARD', 'd', `name: D\ntiles: [{ code: t, title: T, kind: table, page: tickets, ${content} }]`);
const LINES = '{ code: lines, name: L, type: list, fields: [{ code: kind, name: K, type: enum, values: [opne] }] }';

/** Values and types that what they are for cannot have. */
export const VALUE_MISTAKES: readonly Mistake[] = [
  ['a number for a text', written('item: size(record.item)'), 10, 72, /says number: must be a text/],
  ['a boolean for a decimal', written('price: record.gone'), 10, 73, /says boolean: must be a decimal number/],
  ['a text for a boolean', written('gone: record.item'), 10, 72, /says text: must be true or false/],
  ['a decimal for a day', written('day: record.price'), 10, 71, /says decimal: must be a date such as/],
  ['a moment for a day', written('day: now'), 10, 71, /says time: must be a date such as/],
  ['a day for a decimal', written('price: record.day'), 10, 73, /says date: must be a decimal number/],
  [
    'a span of time for a text',
    written('item: now - timestamp(record.created_at)'),
    10,
    72,
    /says duration: must be a text/,
  ],
  ['a list for a text', written('item: "[record.item]"'), 10, 72, /says list: must be a text/],
  ['a record for a text', written('item: record'), 10, 72, /says object: must be a text/],
  [
    'an enum value in one case of a choice',
    written(`state: "record.gone ? 'retruned' : 'open'"`),
    10,
    73,
    /did you mean returned\?/,
  ],
  ['an enum with other values', written('state: payload.kind'), 10, 73, /did you mean open\?/],
  [
    'an enum value of the items of a list',
    written('state: item.kind', LINES).replace('CREATE,', 'CREATE, forEach: payload.lines,'),
    10,
    97,
    /did you mean open\?/,
  ],
  [
    'an enum value in a list that is written out',
    written('state: item').replace('CREATE,', `CREATE, forEach: "['open', 'retruned']",`),
    10,
    106,
    /did you mean returned\?/,
  ],
  [
    'an enum value that a step names before',
    custom(
      `steps:\n  - { id: s, type: set, values: { to: "'retruned'" } }\n  - { id: one, operation: CREATE, modelCode: rental, values: { state: steps.s.to } }`,
    ),
    9,
    73,
    /did you mean returned\?/,
  ],
  [
    'a number that a step names before, for a text',
    custom(
      'steps:\n  - { id: s, type: set, values: { n: 1 + 1 } }\n  - { id: one, operation: CREATE, modelCode: rental, values: { item: steps.s.n } }',
    ),
    9,
    72,
    /says number: must be a text/,
  ],
  [
    'a member of what a step names',
    custom(
      'target: true\nsteps:\n  - { id: s, type: set, values: { r: record } }\n  - { id: t, type: set, values: { x: steps.s.r.stat } }',
    ),
    10,
    40,
    /did you mean state\?/,
  ],
  [
    'a step that creates without what its model needs',
    custom('steps: [{ id: one, operation: CREATE, modelCode: ticket, values: {} }]'),
    7,
    60,
    'content.steps.0.values.title is required',
  ],
  [
    'a target that is a number',
    custom('target: true\nsteps: [{ id: one, operation: DELETE, modelCode: rental, target: record.version }]'),
    8,
    68,
    /says number: must be the pid of a record/,
  ],
  [
    'a list that is a text',
    written('item: item').replace('CREATE,', 'CREATE, forEach: record.item,'),
    10,
    46,
    'content.steps.0.forEach is not a list',
  ],
  [
    'a list that is computed, and a number',
    written('item: item').replace('CREATE,', 'CREATE, forEach: size(record.item),'),
    10,
    46,
    'content.steps.0.forEach is not a list',
  ],
  [
    'a list of an automation that is a number',
    automation(
      `${MANUAL}steps: [{ id: f, type: forEach, items: "1 + 1", steps: [{ id: w, type: wait, seconds: 1 }] }]`,
    ),
    6,
    42,
    'content.steps.0.items is not a list',
  ],
  [
    'a field of an item of an automation',
    automation(
      `${MANUAL}steps:\n  - { id: q, type: query, modelCode: rental }\n  - { id: f, type: forEach, items: steps.q.records, steps: [{ id: c, type: condition, assert: item.stat == 'open' }] }`,
    ),
    8,
    97,
    /did you mean state\?/,
  ],
  [
    'a loop that is not around',
    automation(
      `${MANUAL}steps:\n  - { id: q, type: query, modelCode: rental }\n  - { id: loop, type: forEach, items: steps.q.records, steps: [{ id: c, type: condition, assert: loops.lop.item.gone }] }`,
    ),
    8,
    100,
    /did you mean loop\?/,
  ],
  [
    'a moment that can never be one',
    command(`rules: [{ assert: 'now < timestamp("soon")', message: No }]`),
    7,
    21,
    /line 1, column 7: timestamp\(\) requires a string in ISO 8601 format/,
  ],
  [
    'a span of time that can never be one',
    command(`rules: [{ assert: 'now - record.created_at < duration("5 parsecs")', message: No }]`),
    7,
    21,
    /column 27: Invalid duration string: 5 parsecs/,
  ],
  [
    'a number that can never be one',
    custom(`steps: [{ id: s, type: set, values: { n: 'int("many")' } }]`),
    7,
    44,
    /column 1: int\(\) type error/,
  ],
  [
    'a decimal with a comma',
    custom(`steps: [{ id: s, type: set, values: { n: 'decimal("1,5")' } }]`),
    7,
    44,
    /column 1: is not a decimal number/,
  ],
  [
    'a division by zero',
    custom(`steps: [{ id: s, type: set, values: { n: 'decimal("1") / 0' } }]`),
    7,
    44,
    /division by zero/,
  ],
  [
    'a time zone of an expression',
    custom(`steps: [{ id: s, type: set, values: { n: 'date(now, "Asia/Shanghia")' } }]`),
    7,
    44,
    /column 11: is not the name of a time zone; did you mean Asia\/Shanghai\?/,
  ],
  [
    'a time zone of the clock',
    custom(`steps: [{ id: s, type: set, values: { n: 'now.getHours("Asia/Shanghia")' } }]`),
    7,
    44,
    /did you mean Asia\/Shanghai\?/,
  ],
  [
    'a moment in a check of a model',
    model(
      `fields: [{ code: at, name: A, type: datetime }]\nchecks: [{ assert: 'record.at > timestamp("2026")', message: No }]`,
    ),
    6,
    22,
    /timestamp\(\) requires/,
  ],
  [
    'a moment in the filter of a trigger',
    automation(
      `trigger: { type: event, eventType: record.updated, modelCode: rental, filter: 'timestamp("soon") < timestamp("later")' }${NAP}`,
    ),
    5,
    81,
    /line 1, column 1: timestamp\(\) requires/,
  ],
  [
    'a time to wait for',
    automation(`${MANUAL}steps: [{ id: w, type: wait, until: "'tomorrow'" }]`),
    6,
    39,
    /until must be an ISO 8601 time with a zone/,
  ],
  [
    'a number to wait for',
    automation(`${MANUAL}steps: [{ id: w, type: wait, until: "1 + 1" }]`),
    6,
    39,
    /until says number: must be an ISO 8601 time with a zone/,
  ],
  [
    'an address of a call',
    automation(`${MANUAL}steps: [{ id: h, type: http, url: "'htp://api.example.com'" }]`),
    6,
    37,
    /url must be an http or https URL/,
  ],
  [
    'an approver who is a number',
    automation(`${MANUAL}steps: [{ id: p, type: approval, user: "1 + 1" }]`),
    6,
    42,
    /user says number: must be a text/,
  ],
  [
    'an enum value that a computed field says',
    model(
      `fields: [{ code: n, name: N, type: integer }, { code: s, name: S, type: enum, values: [small, large], computed: "record.n > 5 ? 'lagre' : 'small'" }]`,
    ),
    5,
    115,
    /did you mean large\?/,
  ],
  [
    'a day that a computed field says',
    model(`fields: [{ code: d, name: D, type: date, computed: "'31.12.2026'" }]`),
    5,
    54,
    /must be a date such as/,
  ],
  [
    'a default of a payload',
    custom(
      `payload: [{ code: n, name: N, type: integer, default: many }]\nsteps: [{ id: s, type: set, values: { a: '1' } }]`,
    ),
    7,
    57,
    /default must be a whole number/,
  ],
  [
    'a number in a query step, for a day',
    custom(
      'steps:\n  - id: q\n    type: query\n    modelCode: rental\n    filters: [{ fieldName: day, operator: gt, value: 1 + 1 }]',
    ),
    11,
    56,
    /says number: must be a date such as/,
  ],
  [
    'a text in the place of a list, in a query step',
    custom(
      `steps:\n  - id: q\n    type: query\n    modelCode: rental\n    filters: [{ fieldName: state, operator: in, value: "'open'" }]`,
    ),
    11,
    58,
    /value is not a list/,
  ],
  [
    'an enum value in having',
    tile('aggregate: { groupBy: [{ fieldName: status }], having: [{ fieldName: status, operator: eq, value: opne }] }'),
    5,
    107,
    /status: must be one of open.*; did you mean open\?/,
  ],
  [
    'a measure in having',
    tile(
      'aggregate: { groupBy: [{ fieldName: status }], measures: [{ fn: count, as: total }], having: [{ fieldName: totl, operator: gt, value: 1 }] }',
    ),
    5,
    145,
    /did you mean total\?/,
  ],
  [
    'an enum value in SQL',
    source('sql: "select t.title from mt_ticket t where t.status = \'opne\'"'),
    6,
    8,
    /"opne" is not one of open.*; did you mean open\?/,
  ],
  [
    'an enum value of a list in SQL',
    source("sql: \"select title from mt_ticket where status in ('open', 'closd')\""),
    6,
    8,
    /"closd" is not one of .*; did you mean closed\?/,
  ],
  [
    'an enum value of a param of SQL',
    source(
      'params: [{ code: s, name: S, type: enum, values: [open, closd] }]\nsql: "select title from mt_ticket where status = :s"',
    ),
    6,
    44,
    /values must be one of .*; did you mean closed\?/,
  ],
  [
    'a default of a param of SQL',
    source(
      'params: [{ code: s, name: S, type: string, default: opne }]\nsql: "select title from mt_ticket where status = :s"',
    ),
    6,
    55,
    /default must be one of .*; did you mean open\?/,
  ],
  ['a field of an order', page('sortFields: [{ fieldName: pirce, order: asc }]'), 7, 29, /did you mean price\?/],
  [
    'a field of a condition',
    page('conditions: [{ fieldName: pirce, operator: gt, value: 1 }]'),
    7,
    16,
    /did you mean price\?/,
  ],
  [
    'a field of a view',
    resource('VIEW', 'v', 'name: V\npageKey: tickets\ncolumns: [titel]'),
    6,
    13,
    /did you mean title\?/,
  ],
  ['the field of a figure', tile('aggregate: { groupBy: [{ fieldName: sttus }] }'), 5, 96, /did you mean status\?/],
  [
    'a field that an example of an update finds its record by',
    resource(
      'COMMAND',
      'a:b',
      "name: A\nmodelCode: product\noperations: [UPSERT]\nmatchOn: [sku]\nfields: '*'\nexamples: [{ name: E, matchOn: [skuu], payload: { sku: a }, expect: { result: {} } }]",
    ),
    9,
    35,
    /must be one of sku; did you mean sku\?/,
  ],
  [
    'a field at which an example expects a refusal',
    creation("fields: '*'\nexamples: [{ name: E, expect: { error: { code: VALIDATION_ERROR, field: pirce } } }]"),
    8,
    75,
    /field is not a field of this command; did you mean price\?/,
  ],
  [
    'an operation of an example',
    creation("fields: '*'\nexamples: [{ name: E, operationType: UPDATE, expect: { result: {} } }]"),
    8,
    40,
    /operationType this command does CREATE/,
  ],
  [
    'an example without the record that it is about',
    command("fields: '*'\nexamples: [{ name: E, payload: { item: x }, expect: { result: {} } }]"),
    8,
    14,
    /targetRecordId is required/,
  ],
  [
    'a variable that is mistyped',
    command('rules: [{ assert: recrod.gone, message: No }]'),
    7,
    21,
    /line 1, column 1: Unknown variable: recrod; did you mean record\?/,
  ],
  [
    'a function that is mistyped',
    command('rules: [{ assert: now < timestmap(record.created_at), message: No }]'),
    7,
    21,
    /found no matching overload for 'timestmap\(dyn\)'; did you mean timestamp\?/,
  ],
  [
    'a method that is mistyped',
    command(`rules: [{ assert: 'record.item.contians("a")', message: No }]`),
    7,
    21,
    /did you mean contains\?/,
  ],
  [
    'a variable of a filter that is mistyped',
    automation(`trigger: { type: event, eventType: record.updated, modelCode: rental, filter: sttae == "open" }${NAP}`),
    5,
    81,
    /Unknown variable: sttae; did you mean state\?/,
  ],
];
