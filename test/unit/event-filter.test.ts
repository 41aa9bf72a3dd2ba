import { matchesFilter, namesInFilter, problemOfFilter } from '../../src/platform/events/event-filter.ts';
import { inEnglish } from '../support/in-english.ts';

const problemOf = (expression: string) => inEnglish(problemOfFilter(expression));
const body = {
  commandCode: 'crm:update_lead',
  modelCode: 'lead',
  payload: {
    status: 'open',
    score: 5,
    amount: '12.50',
    big: '9007199254740993',
    vip: true,
    owner: null,
    tags: ['a', 'b'],
    lines: [{ sku: 'x', amount: '3' }],
    type: 'hot',
    payload: 'inner',
    size: 'L',
    import: 1,
    'not a name': 1,
  },
  result: { pid: '01J', version: 2 },
};

describe('filterExpression', () => {
  it.each([
    "status == 'open'",
    "status != 'won'",
    'score == 5',
    'score > 4 && score <= 5.0',
    'score in [5, 6]',
    'vip',
    "'a' in tags",
    'tags.size() == 2',
    "lines.exists(line, line.sku == 'x' && line.amount > 2)",
    "status.startsWith('op') || nothing > 3",
    "commandCode == 'crm:update_lead' && modelCode == 'lead'",
    'result.version == 2',
    "payload.status == 'open'",
    "has(payload.status) && payload['not a name'] == 1",
  ])('%s holds for the event', (expression) => {
    expect([problemOfFilter(expression), matchesFilter(expression, body)]).toEqual([null, true]);
  });

  it.each(["status == 'won'", 'score > 5', 'nothing == 1', "'c' in tags", 'owner == false'])(
    '%s does not',
    (expression) => {
      expect([problemOfFilter(expression), matchesFilter(expression, body)]).toEqual([null, false]);
    },
  );

  it('takes a field that is absent as null', () => {
    expect(matchesFilter('nothing == null', body)).toBe(true);
    expect(matchesFilter("nothing != 'won'", body)).toBe(true);
    expect(matchesFilter('nothing == null && owner == null', body)).toBe(true);
  });

  it.each(['amount > 10', 'amount == 12.5', '12.50 == amount', 'amount != 12', '13 > amount', "amount == '12.50'"])(
    'compares a decimal, which is a text in JSON, as the number it is: %s',
    (expression) => {
      expect(matchesFilter(expression, body)).toBe(true);
    },
  );

  it('compares a bigint to the last digit', () => {
    expect(matchesFilter('big == 9007199254740993', body)).toBe(true);
    expect(matchesFilter('big > 9007199254740992', body)).toBe(true);
    expect(matchesFilter('big == 9007199254740992', body)).toBe(false);
  });

  it.each([
    'status > 3',
    'nothing > 3',
    'status == 5',
    'nothing.deeper == 1',
    '!score',
    'score',
    'status % 2 == 1',
    'tags[9] == 1',
  ])('does not match, and throws nothing, where kinds do not fit: %s', (expression) => {
    expect(matchesFilter(expression, body)).toBe(false);
  });

  it('reads fields whose names CEL or the event has taken through payload', () => {
    expect(matchesFilter("payload.type == 'hot'", body)).toBe(true);
    expect(matchesFilter("payload.payload == 'inner'", body)).toBe(true);
    expect(matchesFilter("payload['import'] == 1", body)).toBe(true);
    expect(matchesFilter("size == 'L' && size.size() == 1", body)).toBe(true);
    expect(problemOf("type == 'hot'")).toContain('payload.type');
  });

  it.each([
    ["status = 'open'", 'line 1, column 8'],
    ["status == 'open' &&\n  score >", 'line 2, column 10'],
    ["'a' == 1", 'line 1, column 1'],
    ['status == "open" && read("x")', 'line 1, column 21'],
    ['import == 1', 'Reserved identifier'],
    ['1 + 1', 'says int, not true or false'],
    ['', 'line 1, column 1'],
    [`status == '${'x'.repeat(4_000)}'`, '4000 characters'],
  ])('%j is refused with its position', (expression, problem) => {
    expect(problemOf(expression)).toContain(problem);
    expect(matchesFilter(expression, body)).toBe(false);
  });

  it.each([
    'tags.map(tag, tag + tag).size() > 1',
    'cel.bind(x, tags, x.size() > 1)',
    'tags.all(tag, tags.exists(other, other == tag))',
    'tags.exists(tag, tag in payload.tags)',
  ])('%s is refused: it could take longer than in proportion to the event', (expression) => {
    expect(problemOf(expression)).toMatch(/not available|can be read/);
    expect(matchesFilter(expression, body)).toBe(false);
  });

  it('matches regular expressions, in linear time', () => {
    expect(problemOf("status.matches('^(a+)+$')")).toBeNull();
    expect(matchesFilter("status.matches('^o')", body)).toBe(true);
    expect(matchesFilter("status.matches('^(a+)+$')", { ...body, payload: { status: `${'a'.repeat(9_000)}!` } })).toBe(
      false,
    );
    expect(problemOf("status == 'x' || status.matches('a(?=b)')")).toContain(
      'line 1, column 33: the pattern must not look',
    );
  });

  it('tells which names it mentions', () => {
    const names = namesInFilter(
      "score > 1 && payload.status == 'x' && payload['owner'] == null && result.?amount.hasValue()",
    );

    expect([...names]).toEqual(expect.arrayContaining(['score', 'status', 'owner', 'amount']));
  });
});
