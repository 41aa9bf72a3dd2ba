import { ERROR_CATALOGUE } from '../errors/catalogue.ts';
import { IDEMPOTENCY_KEY } from '../commands/command-request.ts';
import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import { PAGING_QUERY, pageOf } from '../http/paging.ts';
import { BOOLEAN, integer, list, MAP, named, nullable, object, oneOf, PID, text, TIME } from '../http/schema.ts';
import { STEP_TYPES, TRIGGER_TYPES } from '../metadata/automation-schema.ts';
import { AUTOMATION_INPUT } from '../metadata/content-schemas.ts';
import { STREAM } from '../streams/stream-contract.ts';
import { RUN_STATUSES, RUN_TRIGGERS, STEP_STATUSES } from './automation-run.entity.ts';
import { UNDO } from './definition.ts';
import { CANCEL_BODY, DECISION_BODY, NEW_RUN_BODY } from './run-requests.ts';

const tag = 'Automations';
const path = { runPid: PID };

const STATUS = oneOf(RUN_STATUSES);
const ERROR = nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text(), data: nullable(MAP) }));
const AUTOMATION = named(
  'Automation',
  object({
    code: text(),
    name: text(),
    version: integer(1),
    enabled: BOOLEAN,
    trigger: object({ type: oneOf(TRIGGER_TYPES) }),
    input: AUTOMATION_INPUT,
  }),
);
const ABOUT = {
  runPid: PID,
  automationCode: text(),
  version: integer(1),
  status: STATUS,
  trigger: oneOf(RUN_TRIGGERS),
  input: MAP,
  startedBy: object({ userPid: text(), username: text() }),
  parentRunPid: nullable(PID),
  createdAt: TIME,
  startedAt: nullable(TIME),
  finishedAt: nullable(TIME),
  error: ERROR,
};
const STEP = named(
  'AutomationStep',
  object(
    {
      id: text(),
      key: text({ description: 'Its id, with the numbers of the items it is for' }),
      type: oneOf([...STEP_TYPES, UNDO]),
      status: oneOf(STEP_STATUSES),
      attempt: integer(0),
      startedAt: nullable(TIME),
      finishedAt: nullable(TIME),
      error: ERROR,
    },
    {
      iteration: list(integer(0), { minItems: 1 }),
      dueAt: TIME,
      approvers: object({ role: nullable(text()), user: nullable(text()) }),
    },
  ),
);
const RUN = named('AutomationRun', object(ABOUT));
const RUN_WITH_STEPS = named('AutomationRunWithSteps', object({ ...ABOUT, steps: list(STEP) }));

export const listAutomations: Contract = {
  tag,
  summary: 'The automations that the caller may run',
  data: list(AUTOMATION),
};
export const startRun: Contract = {
  ...{ tag, summary: 'Begin a run by hand', path: { code: text() } },
  description:
    'It goes on after the answer: `Location` is where to look. With a key that was used before, the run that was begun with it, with the code `IDEMPOTENT_REPLAY`, and `X-Idempotency-Mismatch: true` where the input was another.',
  ...{ headers: { 'X-Idempotent-Key': IDEMPOTENCY_KEY }, body: NEW_RUN_BODY },
  ...{ data: RUN_WITH_STEPS, successCodes: ['IDEMPOTENT_REPLAY'], accepted: RUN_WITH_STEPS, errors: ['CONFLICT'] },
};
export const listRuns: Contract = {
  ...{ tag, summary: 'Runs of the automations that the caller may run, newest first', data: pageOf(RUN) },
  ...{ query: { ...PAGING_QUERY, status: STATUS, automationCode: storable() }, errors: ['FORBIDDEN'] },
};
export const getRun: Contract = {
  ...{ tag, summary: 'One run, with its steps', path, data: RUN_WITH_STEPS, errors: ['FORBIDDEN'] },
};
export const streamRun: Contract = {
  ...{ tag, summary: 'A run, live: events `step` and `run`, then `end`', path },
  ...{ ...STREAM, errors: ['FORBIDDEN', 'RATE_LIMITED'] },
};

const change = { tag, path, data: RUN_WITH_STEPS } as const;
export const changes: Record<'approve' | 'cancel' | 'retry', Contract> = {
  approve: {
    ...{ ...change, summary: 'Decide about a step that waits for an approval', body: DECISION_BODY },
    errors: ['FORBIDDEN', 'FOUR_EYES_REQUIRED', 'CONFLICT'],
  },
  cancel: {
    ...{ ...change, summary: 'End it, and undo what was done', body: CANCEL_BODY, errors: ['FORBIDDEN', 'CONFLICT'] },
  },
  retry: {
    ...{ ...change, summary: 'Have a failed run go on from where it failed' },
    // A body is read, and nothing in it means anything.
    errors: ['FORBIDDEN', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  },
};
