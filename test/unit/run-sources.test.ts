import { RunSources } from '../../src/features/automations/runs/values/run-sources.ts';
import type { AutomationContent } from '../../src/features/automations/definition/automation-content.ts';
import { Definition } from '../../src/features/automations/definition/definition.ts';
import { fieldsIn, memberOf } from '../../src/foundation/expressions/value-sources.ts';
import { sourcesOfRecord } from '../../src/platform/events/audience/event-sources.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { resourceTypes } from '../support/resource-types.ts';

const resource = (resourceType: string, code: string, content: object) => ({ resourceType, code, content });
const metadata = new Snapshot(
  'dev',
  1,
  [
    resource('MODEL', 'lead', { name: 'Lead', fields: [{ code: 'score', name: 'Score', type: 'integer' }] }),
    resource('COMMAND', 'crm:create_lead', { name: 'C', modelCode: 'lead', operations: ['CREATE'] }),
  ],
  resourceTypes,
);
const input = [
  { code: 'points', name: 'Points', type: 'integer' as const },
  { code: 'free', name: 'Free', type: 'string' as const },
];
const of = (content: Partial<AutomationContent>) => {
  const whole: AutomationContent = { name: 'A', trigger: { type: 'manual' }, input, steps: [], ...content };
  const { type: trigger } = whole.trigger;
  const event = trigger === 'manual' ? null : sourcesOfRecord('lead');
  return new RunSources(new Definition('a', whole), trigger === 'manual', event, metadata);
};

describe('the fields that the parts of a run come from', () => {
  it('are those that the trigger has mapped', () => {
    const mapping = { points: 'event.payload.score + 1', free: 'event.eventType' };
    const sources = of({ trigger: { type: 'command', commandCode: 'crm:create_lead', input: mapping } });

    expect(fieldsIn(memberOf(sources.input, 'points'))).toEqual(['lead.score']);
    expect(fieldsIn(memberOf(sources.input, 'free'))).toEqual([]);
  });

  it('are, of what a person has given, those that it is written to', () => {
    const create = { id: 'c', type: 'command', commandCode: 'crm:create_lead', payload: { score: 'input.points * 2' } };
    const sources = of({
      steps: [create, { id: 'w', type: 'webhook', payload: { p: 'input.points', f: 'input.free' } }],
    });

    expect(fieldsIn(memberOf(sources.input, 'points'))).toEqual(['lead.score']);
    expect(fieldsIn(memberOf(sources.input, 'free'))).toEqual([]);
    expect(fieldsIn(sources.outputOf('c'))).toEqual(['lead.*']);
    expect(fieldsIn(sources.of('w', 'input.points'))).toEqual(['lead.score']);
  });

  it('go through steps and the items of loops', () => {
    const sources = of({
      steps: [
        { id: 'found', type: 'query', modelCode: 'lead' },
        {
          id: 'each',
          type: 'forEach',
          items: 'steps.found.records.filter(l, l.pid != "")',
          steps: [{ id: 'tell', type: 'webhook', payload: { s: 'item.score', of: 'loops.each.item.pid' } }],
        },
        { id: 'heard', type: 'waitForEvent', eventType: 'record.*', modelCode: 'lead' },
        { id: 'called', type: 'http', url: '"https://example.com"' },
      ],
    });

    expect(fieldsIn(memberOf(memberOf(sources.outputOf('tell'), 'payload'), 's'))).toContain('lead.score');
    expect(fieldsIn(sources.of('tell', 'loops.each.item.pid'))).not.toContain('lead.score');
    expect(fieldsIn(sources.of('called', 'steps.heard.event.result.score'))).toEqual(['lead.score']);
    expect(fieldsIn(sources.outputOf('called'))).toEqual(['*']);
  });
});
