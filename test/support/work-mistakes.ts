import { command, creation, custom, model, page, resource, type Mistake } from './mistakes.ts';

const automation = (content: string) => resource('AUTOMATION', 'a', `name: A\n${content}`);
const MANUAL = 'trigger: { type: manual }\n';
const NAP = '\nsteps: [{ id: w, type: wait, seconds: 1 }]';

/** Parts that do not go together: work that would always fail, and what is never seen, used or allowed. */
export const WORK_MISTAKES: readonly Mistake[] = [
  [
    'an input that a trigger leaves out',
    automation(
      `trigger: { type: event, eventType: record.updated, input: {} }\ninput: [{ code: who, name: W, type: string, required: true }]${NAP}`,
    ),
    5,
    54,
    'content.trigger.input.who is required',
  ],
  [
    'an input that a trigger misspells',
    automation(
      `trigger: { type: event, eventType: record.updated, input: { woh: "'a'" } }\ninput: [{ code: who, name: W, type: string }]${NAP}`,
    ),
    5,
    68,
    /is not a field of the input; did you mean who\?/,
  ],
  [
    'a value of another type that a trigger gives to its run',
    automation(
      `trigger: { type: event, eventType: record.updated, modelCode: rental, input: { n: event.payload.item } }\ninput: [{ code: n, name: N, type: integer }]${NAP}`,
    ),
    5,
    85,
    /says text: must be a whole number/,
  ],
  [
    'a field that a step leaves out, which its command needs',
    automation(
      `${MANUAL}steps: [{ id: c, type: command, commandCode: "desk:create_ticket", payload: { notes: "'a'" } }]`,
    ),
    6,
    70,
    'content.steps.0.payload.title is required',
  ],
  [
    'a record that a step leaves out, which its command works on',
    automation(`${MANUAL}steps: [{ id: c, type: command, commandCode: "desk:close_ticket" }]`),
    6,
    11,
    'content.steps.0.target is required',
  ],
  [
    'a target of a create',
    automation(
      `${MANUAL}steps: [{ id: c, type: command, commandCode: "desk:create_ticket", target: input.x, payload: { title: "'a'" } }]\ninput: [{ code: x, name: X, type: string }]`,
    ),
    6,
    78,
    'content.steps.0.target is not for this operation',
  ],
  [
    'an update that changes nothing',
    automation(
      `${MANUAL}input: [{ code: x, name: X, type: string }]\nsteps: [{ id: c, type: command, commandCode: "desk:update_ticket", target: input.x }]`,
    ),
    7,
    11,
    'content.steps.0.payload must hold the fields to change',
  ],
  [
    'a value of another type that a step gives to a command',
    automation(
      `${MANUAL}steps: [{ id: c, type: command, commandCode: "desk:create_ticket", payload: { title: 1 + 1 } }]`,
    ),
    6,
    88,
    /says number: must be a text/,
  ],
  [
    'what undoes a step',
    automation(
      `${MANUAL}input: [{ code: x, name: X, type: string }]\nsteps:\n  - id: c\n    type: command\n    commandCode: "desk:create_ticket"\n    payload: { title: "'a'" }\n    compensation: { commandCode: "desk:delete_ticket", target: steps.c.pid, payload: { title: "'a'" } }`,
    ),
    12,
    79,
    'content.steps.0.compensation.payload is not for a delete',
  ],
  [
    'an item outside of a loop',
    automation(`${MANUAL}steps: [{ id: c, type: condition, assert: item.gone }]`),
    6,
    45,
    /Unknown variable: item/,
  ],
  [
    'an event where none starts the run',
    automation(`${MANUAL}steps: [{ id: c, type: condition, assert: event.payload.gone }]`),
    6,
    45,
    /Unknown variable: event/,
  ],
  [
    'an event that is about another model',
    automation(`trigger: { type: event, eventType: "desk:close_ticket", modelCode: rental }${NAP}`),
    5,
    70,
    'content.trigger.modelCode desk:close_ticket is about ticket',
  ],
  [
    'an awaited event that is about another model',
    automation(`${MANUAL}steps: [{ id: w, type: waitForEvent, eventType: "desk:close_ticket", modelCode: rental }]`),
    6,
    83,
    'content.steps.0.modelCode desk:close_ticket is about ticket',
  ],
  [
    'a day that never comes',
    automation(`trigger: { type: schedule, cron: "0 9 30 2 *" }\nrunAs: ADMIN${NAP}`),
    5,
    36,
    /cron names a day that its months do not have/,
  ],
  [
    'a delay that is longer than the longest',
    automation(
      `${MANUAL}steps: [{ id: q, type: query, modelCode: rental, retry: { maxAttempts: 3, initialSeconds: 60, maxSeconds: 10 } }]`,
    ),
    6,
    93,
    'content.steps.0.retry.initialSeconds must not be greater than 10',
  ],
  [
    'a role that may not do what is done as it',
    automation(`${MANUAL}runAs: AGENT\nsteps: [{ id: q, type: query, modelCode: rental }]`),
    7,
    44,
    'content.steps.0.modelCode AGENT has no record:read:rental',
  ],
  [
    'an order by what has none',
    custom('steps: [{ id: q, type: query, modelCode: product, sortField: data }]'),
    7,
    64,
    /sortField is a json field, which has no order/,
  ],
  [
    'a record where there is none',
    creation("fields: '*'\nrules: [{ assert: record.gone == false, message: No }]"),
    8,
    21,
    'content.rules.0.assert reads record, but the command works on none',
  ],
  [
    'the field of a conflict',
    command("fields: '*'\nrules: [{ assert: 'true', message: No, field: item }]"),
    8,
    49,
    'content.rules.0.field is for VALIDATION_ERROR',
  ],
  [
    'the reason of an invalid payload',
    command("fields: '*'\nrules: [{ assert: 'true', message: No, code: VALIDATION_ERROR, reason: GONE }]"),
    8,
    74,
    'content.rules.0.reason is for CONFLICT',
  ],
  ['an update that takes no field', command('fields: []'), 7, 3, 'content.fields must not be empty'],
  [
    'a field that is revealed, and open',
    custom('steps: [{ id: s, type: set, values: { a: "1" } }]\nreveals: [rental.item]'),
    8,
    13,
    'content.reveals.0 has no readPermission: anyone may read it',
  ],
  [
    'a role of an example, which may not execute the command',
    creation("fields: '*'\nexamples: [{ name: E, as: AGENT, payload: { item: x }, expect: { result: {} } }]"),
    8,
    29,
    'content.examples.0.as AGENT has no command:execute:a:b',
  ],
  [
    'a field that no role may write',
    model('fields: [{ code: s, name: S, type: string, writePermission: true }]'),
    5,
    63,
    /no role has field:write:a\.s/,
  ],
  [
    'a command of another model on a page',
    page('commands: ["desk:close_ticket"]'),
    7,
    14,
    'content.commands.0 is a command of ticket',
  ],
  [
    'a text that nothing shows',
    resource('I18N', 'a.en', 'locale: en\nmessages: { desk.not_postpond: Not now }'),
    5,
    34,
    /is used nowhere/,
  ],
  [
    'a place that nothing fills, in a text of the program',
    resource('I18N', 'a.en', 'locale: en\nmessages: { expression.not_boolean: "gives {tpye}" }'),
    5,
    39,
    /nothing fills \{tpye\}; did you mean type\?/,
  ],
  [
    'a place that nothing fills, in a text of the author',
    resource('I18N', 'a.en', 'locale: en\nmessages: { rental.state.open: "Open {name}" }'),
    5,
    34,
    /nothing fills \{name\}/,
  ],
  [
    'a record of another model',
    custom('target: true\nsteps: [{ id: c, operation: CREATE, modelCode: stay, values: { guest: record.pid } }]'),
    8,
    73,
    'content.steps.0.values.guest is the pid of a rental, not of a product',
  ],
  [
    'a target of another model',
    custom(
      'target: true\nsteps: [{ id: c, operation: UPDATE, modelCode: stay, target: record.pid, values: { guest: "null" } }]',
    ),
    8,
    64,
    'content.steps.0.target is the pid of a rental, not of a stay',
  ],
  [
    'a target of another model, in an automation',
    automation(
      `${MANUAL}steps: [{ id: q, type: query, modelCode: rental }, { id: c, type: command, commandCode: "desk:close_ticket", target: "steps.q.records[0].pid" }]`,
    ),
    6,
    120,
    'content.steps.1.target is the pid of a rental, not of a ticket',
  ],
  [
    'a target of a step that creates',
    custom('target: true\nsteps: [{ id: c, operation: CREATE, modelCode: rental, target: record.pid, values: {} }]'),
    8,
    66,
    'content.steps.0.target is not for this operation',
  ],
  [
    'values of a step that deletes',
    custom(
      'target: true\nsteps: [{ id: c, operation: DELETE, modelCode: rental, target: record.pid, values: { gone: "true" } }]',
    ),
    8,
    78,
    'content.steps.0.values is not for a delete',
  ],
  [
    'an event of another command',
    resource(
      'COMMAND',
      'a:b',
      'name: A\nmodelCode: rental\noperations: [CREATE]\nfields: [item]\nevent: { type: "desk:close_ticket" }',
    ),
    8,
    18,
    'content.event.type is the code of a command, and the type of its event',
  ],
  [
    'what a call answers',
    automation(
      `${MANUAL}steps: [{ id: h, type: http, url: "'https://api.example.com/'" }, { id: c, type: condition, assert: steps.h.statuscode == 200 }]`,
    ),
    6,
    103,
    /No such key: statuscode; did you mean statusCode\?/,
  ],
  [
    'the header of a call',
    automation(
      `${MANUAL}steps: [{ id: h, type: http, url: "'https://api.example.com/'", headers: { Content-Length: "'1'" } }]`,
    ),
    6,
    94,
    /the header Content-Length must not be set/,
  ],
  [
    'a currency that there is not',
    resource('PAGE_SCHEMA', 'a', 'name: A\nmodelCode: rental\ncolumns: [{ fieldName: price, format: "currency:ERU" }]'),
    6,
    41,
    /format ERU is no currency/,
  ],
];
