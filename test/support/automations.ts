import type { AutomationContent } from '../../src/features/automations/definition/automation-content.ts';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';
import { call, list, type Answered, type CallOptions } from './api.ts';
import { until } from './faults.ts';
import { newCode, save } from './models.ts';

/** An automation of the test's own, in `dev`; started by hand unless told otherwise. Gives its code. */
export async function newAutomation(
  content: Partial<AutomationContent> & Pick<AutomationContent, 'steps'>,
  code = newCode(),
): Promise<string> {
  const whole: AutomationContent = { name: code, trigger: { type: 'manual' }, ...content };
  await save('dev', { resourceType: 'AUTOMATION', code, content: whole });
  return code;
}

export const wait = (id: string, seconds: number): AnyStep => ({ id, type: 'wait', seconds });

/** A step that creates a lead. `name` is an expression. */
export const createLead = (id: string, name: string, more: object = {}): AnyStep => ({
  id,
  type: 'command',
  commandCode: 'crm:create_lead',
  payload: { name },
  ...more,
});

/** The leads of this name, 500 at most. */
export async function leadsNamed(token: string, name: string): Promise<{ pid: string; status: string }[]> {
  const filters = [{ fieldName: 'name', operator: 'eq', value: name }];
  return (await list(token, 'leads', { filters, pageSize: 500 })).body.data.records;
}

export function startRun(
  token: string,
  code: string,
  input: object = {},
  options: CallOptions = {},
): Promise<Answered> {
  return call(`/api/automations/${code}/runs`, { ...options, token, body: { input } });
}

export function getRun(token: string, runPid: string, options: CallOptions = {}): Promise<Answered> {
  return call(`/api/automations/runs/${runPid}`, { ...options, token });
}

export function act(
  token: string,
  runPid: string,
  what: string,
  body: object = {},
  options: CallOptions = {},
): Promise<Answered> {
  return call(`/api/automations/runs/${runPid}/${what}`, { ...options, token, body });
}

/** Waits until a run is in one of these states, and gives it. */
export async function runIs(token: string, runPid: string, statuses: string[], timeoutMs?: number) {
  return until(
    `the run ${runPid} is ${statuses.join(' or ')}`,
    async () => {
      const { body } = await getRun(token, runPid);
      if (statuses.includes(body.data?.status)) return body.data;
      throw new Error(JSON.stringify(body));
    },
    timeoutMs,
  );
}

/** Starts a run, and waits for its end. */
export async function runToEnd(token: string, code: string, input: object = {}, timeoutMs?: number) {
  const { status, body } = await startRun(token, code, input);
  if (status !== 202) throw new Error(JSON.stringify(body));
  return runIs(token, body.data.runPid, ['SUCCEEDED', 'FAILED', 'CANCELLED'], timeoutMs);
}

/** The steps of a run as `key status`, in the order in which they began. */
export function stepsOf(run: { steps: { key: string; status: string }[] }): string[] {
  return run.steps.map(({ key, status }) => `${key} ${status}`);
}
