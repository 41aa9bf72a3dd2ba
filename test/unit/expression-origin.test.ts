import { originOf } from '../../src/foundation/expressions/expression-origin.ts';
import { fieldsIn, listOf, memberOf, recordOf, withMembers } from '../../src/foundation/expressions/value-origin.ts';
import { visibleValue } from '../../src/platform/metadata/snapshot/visible-value.ts';

const variables = {
  record: recordOf('lead'),
  payload: withMembers([['note', {}]]),
  steps: withMembers([
    ['deal', recordOf('deal')],
    ['found', withMembers([['records', listOf(recordOf('lead'))]])],
  ]),
};
const HIDDEN = new Set(['lead.score', 'lead.*']);
const isHidden = (field: string): boolean => HIDDEN.has(field);
const of = (source: string) => originOf(source, variables);

describe('the fields that the value of an expression comes from', () => {
  it.each([
    ['record.score', ['lead.score']],
    ['record["score"]', ['lead.score']],
    ['record.?score.orValue(0)', ['lead.score']],
    ['record[payload.note]', ['lead.*']],
    ['"score: " + string(record.score)', ['lead.score']],
    ['record.score > 50 ? "hot" : record.name', ['lead.score', 'lead.name']],
    ['has(record.score) && payload.note != ""', ['lead.score']],
    ['[record.name, record.score]', ['lead.name', 'lead.score']],
    ['{"a": record.score}["a"]', ['lead.score']],
    ['{record.score: 1}', ['lead.score']],
    ['{"a": record.name, "b": record.score}.a', ['lead.name']],
    ['steps.found.records.map(l, l.score)', ['lead.score']],
    ['steps.found.records.filter(l, l.score > 5).map(l, l.name)', ['lead.score', 'lead.name']],
    ['steps.found.records.map(l, l.score > 5, l.name)', ['lead.name', 'lead.score']],
    ['steps.found.records.exists(l, l.score > 5)', ['lead.score']],
    ['steps.found.records[0].name', ['lead.name']],
    ['cel.bind(s, record.score, {"x": s})', ['lead.score']],
    ['[1, 2].map(record, record)', []],
    ['size(steps.found.records)', []],
    ['steps.found.records.size() > 0', []],
    ['record == null', []],
    ['payload.note', []],
    ['not an expression', []],
  ])('%s: %j', (source, fields) => {
    expect(fieldsIn(of(source)).sort()).toEqual([...fields].sort());
  });

  it('are known of each member of an object by itself', () => {
    const origin = of('{"lead": record, "s": record.score, "deal": {"name": steps.deal.name}}');

    expect(memberOf(origin, 'lead')).toEqual(recordOf('lead'));
    expect(fieldsIn(memberOf(origin, 's'))).toEqual(['lead.score']);
    expect(fieldsIn(memberOf(memberOf(origin, 'deal'), 'name'))).toEqual(['deal.name']);
  });

  it('become one list where literals in literals grow without a bound', () => {
    let known = recordOf('lead');
    for (let round = 0; round < 100; round += 1) known = originOf('{"a": x, "b": x, "c": [x]}', { x: known });

    expect(fieldsIn(known)).toEqual(['lead.*']);
    expect(JSON.stringify(known).length).toBeLessThan(100_000);
  });
});

describe('the visible part of a value', () => {
  it.each([
    ['a record', 'record', { name: 'A', score: 7, data: { score: 1 } }, { name: 'A', data: { score: 1 } }],
    ['a record of another model', 'steps.deal', { score: 7 }, { score: 7 }],
    ['a list of records', 'steps.found.records', [{ name: 'A', score: 7 }], [{ name: 'A' }]],
    ['a list of hidden values', '{"all": [record.score], "n": 1}', { all: [7], n: 1 }, { n: 1 }],
    ['a renamed value', '{"s": record.score, "name": record.name}', { s: 7, name: 'A' }, { name: 'A' }],
    ['a name that is the same', '{"score": steps.deal.name}', { score: 'A' }, { score: 'A' }],
    ['a hidden value by itself', 'record.score', 7, undefined],
    ['no value', 'record', null, null],
    ['a value of another form', 'record', [{ score: 7 }], undefined],
  ])('%s', (_name, source, value, visible) => {
    expect(visibleValue(value, of(source), isHidden)).toEqual(visible);
  });
});
