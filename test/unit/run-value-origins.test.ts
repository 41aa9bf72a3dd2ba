import { RunValueOrigins } from '../../src/features/automations/runs/values/run-value-origins.ts';
import type { AutomationContent } from '../../src/features/automations/definition/automation-content.ts';
import { Definition } from '../../src/features/automations/definition/definition.ts';
import { fieldsIn, memberOf } from '../../src/foundation/expressions/value-origin.ts';
import { originsOfRecord } from '../../src/platform/events/audience/event-origins.ts';
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
  const event = trigger === 'manual' ? null : originsOfRecord('lead');
  return new RunValueOrigins(new Definition('a', whole), trigger === 'manual', event, metadata);
};

describe('the fields that the parts of a run come from', () => {
  it('are those that the trigger has mapped', () => {
    const mapping = { points: 'event.payload.score + 1', free: 'event.eventType' };
    const origins = of({ trigger: { type: 'command', commandCode: 'crm:create_lead', input: mapping } });

    expect(fieldsIn(memberOf(origins.ofInput, 'points'))).toEqual(['lead.score']);
    expect(fieldsIn(memberOf(origins.ofInput, 'free'))).toEqual([]);
  });

  it('are, of what a person has given, those that it is written to', () => {
    const create = { id: 'c', type: 'command', commandCode: 'crm:create_lead', payload: { score: 'input.points * 2' } };
    const origins = of({
      steps: [create, { id: 'w', type: 'webhook', payload: { p: 'input.points', f: 'input.free' } }],
    });

    expect(fieldsIn(memberOf(origins.ofInput, 'points'))).toEqual(['lead.score']);
    expect(fieldsIn(memberOf(origins.ofInput, 'free'))).toEqual([]);
    expect(fieldsIn(origins.ofOutput('c'))).toEqual(['lead.*']);
    expect(fieldsIn(origins.ofExpression('w', 'input.points'))).toEqual(['lead.score']);
  });

  it('go through steps and the items of loops', () => {
    const origins = of({
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

    expect(fieldsIn(memberOf(memberOf(origins.ofOutput('tell'), 'payload'), 's'))).toContain('lead.score');
    expect(fieldsIn(origins.ofExpression('tell', 'loops.each.item.pid'))).not.toContain('lead.score');
    expect(fieldsIn(origins.ofExpression('called', 'steps.heard.event.result.score'))).toEqual(['lead.score']);
    expect(fieldsIn(origins.ofOutput('called'))).toEqual(['*']);
  });
});
