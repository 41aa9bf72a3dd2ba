import { equalitiesOf } from '../../src/foundation/expressions/equalities.ts';
import { correlationOf, correlationsIn } from '../../src/features/automations/steps/correlation.ts';
import { StepExpressions } from '../../src/features/automations/steps/step-expressions.ts';

const constants = new Set(['input']);
const variables = {
  input: { deal: 'D1', count: 3 },
  steps: {},
  loops: {},
  item: null,
  index: null,
  run: {},
  actor: {},
};
const of = (filter: string) => correlationOf(filter, new StepExpressions('wait', { ...variables, event: null }));
const event = { eventType: 'x', payload: { deal: 'D1', lines: [{ deal: 'D2' }] }, result: { pid: 'R' } };

describe('the equalities that an expression demands', () => {
  it.each<[source: string, found: unknown]>([
    ['event.payload.deal == input.deal', [{ path: ['payload', 'deal'], other: 'input.deal' }]],
    ['input.deal == event.payload.deal && true', [{ path: ['payload', 'deal'], other: 'input.deal' }]],
    [
      '(event.a == "x") && event.b == "y"',
      [
        { path: ['a'], other: '"x"' },
        { path: ['b'], other: '"y"' },
      ],
    ],
    ['event.a == "x" || event.b == "y"', []],
    ['!(event.a == "x")', []],
    ['event.a == event.b', []],
    ['event.a == now', []],
    ['event.lines[0] == "x"', []],
    ['event.a != "x"', []],
  ])('of %s are %j', (source, found) => {
    expect(equalitiesOf(source, 'event', constants)).toEqual(found);
  });
});

describe('a correlation', () => {
  it('is one of the event for which the filter is true', () => {
    const own = of('event.payload.deal == input.deal && event.result.pid != "x"');

    expect(own).toHaveLength(32);
    expect(correlationsIn(event)).toContain(own);
    expect(correlationsIn({ ...event, payload: { deal: 'D2' } })).not.toContain(own);
  });

  it.each([
    'event.payload.count == input.count',
    'event.payload.deal.startsWith(input.deal)',
    'event.a == input.nothing.b',
  ])('is absent where the filter demands no text: %s', (filter) => {
    expect(of(filter)).toBeNull();
  });

  it('is unknown for an event with too many texts', () => {
    const payload = Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`f${n}`, 'x']));
    expect(correlationsIn({ payload })).toBeNull();
  });
});
