import { matchesEventType } from '../../src/platform/metadata/resources/event-types.ts';
import { problemOfEventType } from '../../src/platform/events/event-pattern.ts';
import { inEnglish } from '../support/in-english.ts';

describe('eventType of a subscription', () => {
  it.each([
    ['crm:create_lead', 'crm:create_lead'],
    ['crm:*', 'crm:create_lead'],
    ['crm:create_*', 'crm:create_lead'],
    ['record.*', 'record.updated'],
    ['*', 'lead.converted'],
  ])('%s hears of %s', (pattern, eventType) => {
    expect(matchesEventType(pattern, eventType)).toBe(true);
  });

  it.each([
    ['crm:create_lead', 'crm:create_leads'],
    ['crm:create_lead', 'CRM:create_lead'],
    ['crm:*', 'crmx:create_lead'],
    ['record.*', 'recordXupdated'],
    ['crm', 'crm:create_lead'],
  ])('%s does not hear of %s', (pattern, eventType) => {
    expect(matchesEventType(pattern, eventType)).toBe(false);
  });

  it.each(['crm:create_lead', 'lead.converted', 'crm:*', 'record.*', '*', 'webhook.disabled'])('may be %s', (text) => {
    expect(problemOfEventType(text)).toBeNull();
  });

  it.each([
    ['', 'is required'],
    ['*:create', 'at its end only'],
    ['crm:**', 'at its end only'],
    ['crm create', 'must be an event type'],
    [':x', 'must be an event type'],
    ['x'.repeat(101), '100 characters'],
  ])('may not be %j', (text, problem) => {
    expect(inEnglish(problemOfEventType(text))).toContain(problem);
  });
});
