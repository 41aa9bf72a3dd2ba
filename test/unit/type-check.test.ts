import { NAMES_ALONE, TypeCheck } from '../../src/foundation/expressions/type-check.ts';
import { inEnglish } from '../support/in-english.ts';

const lead = {
  fields: {
    pid: 'text',
    name: 'text',
    owner: 'text',
    status: { oneOf: ['new', 'open', 'won'] },
    score: 'number',
    hot: 'boolean',
    amount: 'any',
    due_on: 'any',
    tags: 'any',
  },
} as const;
const check = new TypeCheck({
  record: lead,
  payload: lead,
  steps: { fields: { deal: lead, found: { fields: { records: { list: lead }, total: 'number' } } } },
  actor: { fields: { pid: 'text', username: 'text' } },
  event: 'any',
  now: 'time',
});
const problemOf = (source: string): unknown => inEnglish(check.problemOf(source));

describe('types of an expression', () => {
  it.each([
    ['record.asignee', 'line 1, column 8: No such key: asignee'],
    ['record["asignee"] == "x"', 'line 1, column 1: No such key: asignee'],
    ['true &&\n  payload.asignee == null', 'line 2, column 11: No such key: asignee'],
    ['true && has(payload.asignee)', 'line 1, column 21: No such key: asignee'],
    ['actor.roles', 'line 1, column 7: No such key: roles'],
    ['steps.ask.wat', 'line 1, column 7: No such key: ask'],
    ['steps.deal.wat', 'line 1, column 12: No such key: wat'],
    ['steps.found.records.exists(l, l.statu == "won")', 'line 1, column 33: No such key: statu'],
    ['record.status == "opn"', 'line 1, column 18: "opn" is not one of new, open, won'],
    ['"opn" != payload.status', 'line 1, column 1: "opn" is not one of new, open, won'],
    ['record.status in ["open", "opn"]', 'line 1, column 27: "opn" is not one of new, open, won'],
    ['record.status == 5', 'line 1, column 18: 5 is not one of new, open, won'],
    ['steps.found.records.filter(l, l.status == "opn").size() > 0', 'line 1, column 43: "opn" is not one of'],
    ['record.score + "a" == ""', 'line 1, column 1: no such overload: dyn<double> + string'],
    ['payload.score == "five"', 'line 1, column 1: no such overload: dyn<double> == string'],
    ['true && record.hot == "true"', 'line 1, column 9: no such overload: dyn<bool> == string'],
    ['record.name != 3', 'line 1, column 1: no such overload: dyn<string> != int'],
    ['record.hot == record.name', 'line 1, column 1: no such overload: dyn<bool> == dyn<string>'],
    ['record.score in ["a", "b"]', 'line 1, column 1: no such overload: dyn<double> == string'],
    ['record.score in [1, "b"]', 'line 1, column 1: no such overload: dyn<double> == string'],
    ['record.name in [1]', 'line 1, column 1: no such overload: dyn<string> == int'],
    [
      'record.name in payload.tags || record.hot in ["true"]',
      'line 1, column 32: no such overload: dyn<bool> == string',
    ],
    ['record.name > 5', 'line 1, column 1: no such overload: dyn<string> > int'],
    ['duration(record.score) > duration("1h")', 'line 1, column 1: found no matching overload for'],
  ])('%s is refused: %s', (source, problem) => {
    expect(problemOf(source)).toContain(`is not a valid expression: ${problem}`);
  });

  it.each([
    'record.status != "won" && record.status != null',
    'null == record.status',
    'record.status in ["open", "new"]',
    'record.status.startsWith("op")',
    'record == null || steps.deal == null || record.score == null',
    'record.owner != null ? record.owner : actor.username',
    'record.owner != null ? record.owner : null',
    'record.score != null ? record.score : 0',
    'record.hot && record.score > 10 && record.score >= payload.score',
    'record.score + 1 == 2.5',
    'record.score == 10',
    'string(record.score) + record.name',
    'double(record.amount) > 1.0',
    'record.amount > 1 || record.amount == "1.00"',
    'record.due_on < date(now) && timestamp(record.due_on) < now',
    'has(payload.name) && payload.?owner.orValue("x") == "x"',
    'payload.tags.exists(t, has(t.nothing)) || has(event.payload.anything)',
    'record[payload.name] == 1',
    'size(record) > 0 && "name" in record',
    'payload.tags.exists(t, t.nothing == "a")',
    'steps.found.records[0].status == "open" && steps.found.total > 0',
    'event.payload.anything == "at all"',
    '{"lead": record, "deal": steps.deal}',
    'true ? record : steps.deal',
    'record == payload',
    'record.score in [1, 2.5, null] && record.name in ["a", null] && record.name in payload.tags',
    'record.hot == true && record.amount == "1" && event.payload.qty == "five"',
  ])('%s is left alone: it may work', (source) => {
    expect(problemOf(source)).toBeNull();
  });
});

describe('types of a condition', () => {
  const condition = new TypeCheck({ score: 'number', hot: 'boolean', name: 'text' }, NAMES_ALONE);

  it.each([
    ['score == "five"', 'no such overload: dyn<double> == string'],
    ['score in ["5", "five"]', 'no such overload: dyn<double> == string'],
    ['hot == "true"', 'no such overload: dyn<bool> == string'],
    ['hot != 1', 'no such overload: dyn<bool> != int'],
  ])('refuse %s, which no event has', (source, problem) => {
    expect(inEnglish(condition.problemOf(source))).toContain(problem);
  });

  it.each(['score == "5"', 'name == 5', 'name in [5, "a"]', 'score == 5.0', 'hot == true', 'name == null'])(
    'leave %s alone: numbers equal the texts that write them',
    (source) => expect(condition.problemOf(source)).toBeNull(),
  );
});
