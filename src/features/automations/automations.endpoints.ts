import { localizedName } from '../../foundation/i18n/text.ts';
import { type RunStream, runStreamKey, presentRun, presentRunWithSteps, presentSteps } from './runs/show/run-stream.ts';
import {
  PID,
  oneOf,
  nullable,
  object,
  text,
  MAP,
  named,
  integer,
  BOOLEAN,
  TIME,
  list,
  ANYTHING,
  described,
  partial,
  withDefault,
  parameters,
} from '../../foundation/validation/schema.ts';
import { RUN_STATUSES, RUN_TRIGGERS, STEP_STATUSES } from './runs/rows/automation-run.entity.ts';
import { ERROR_CATALOGUE } from '../../foundation/errors/catalogue.ts';
import { AUTOMATION_INPUT, TRIGGER_TYPES } from './definition/automation-content.ts';
import { COMPENSATION } from './definition/definition.ts';
import { MAX_SHOWN_STEPS } from './automations.limits.ts';
import { STEP_TYPES } from './steps/step-kinds.ts';
import { type AutomationsService } from './automations.service.ts';
import { type Streams } from '../../platform/streams/streams.ts';
import { waitingApprovalsFor, type WaitingApprovalsParts } from './runs/approvals/waiting-approvals.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import { storable } from '../../foundation/validation/formats.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { hasRunEnded } from './runs/rows/run-store.ts';
import { IDEMPOTENCY_KEY, problemOfIdempotencyKey } from '../commands/request/command-request.ts';
import { currentTraceId, newTraceId } from '../../foundation/logging/trace.ts';
import { reply } from '../../foundation/http/reply.ts';
import type { Automation } from './definition/automation-type.ts';

const BASE = '/api/automations';
const RUNS = `${BASE}/runs` as const;
const tag = 'Automations';

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
    input: { ...AUTOMATION_INPUT },
  }),
);
const ABOUT = {
  runPid: PID,
  automationCode: text(),
  version: integer(1),
  status: STATUS,
  trigger: oneOf(RUN_TRIGGERS),
  input: nullable(MAP),
  startedBy: object({ userPid: text(), username: text() }),
  parentRunPid: nullable(PID),
  traceId: described('Of the request that has caused it', text()),
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
      type: oneOf([...STEP_TYPES, COMPENSATION]),
      status: oneOf(STEP_STATUSES),
      attempt: integer(0),
      startedAt: nullable(TIME),
      finishedAt: nullable(TIME),
      error: ERROR,
    },
    {
      output: ANYTHING,
      iteration: list(integer(0), { minItems: 1 }),
      dueAt: TIME,
      approvers: object({ role: nullable(text()), user: nullable(text()) }),
    },
  ),
);
const APPROVAL = named(
  'WaitingApproval',
  object({
    runPid: PID,
    automationCode: text(),
    step: text({ description: 'Its key, for `approve`' }),
    message: ANYTHING,
    record: nullable(object({ modelCode: text(), pid: text() })),
    since: TIME,
    due: nullable(TIME),
    mayDecide: described('False where four eyes are needed and the caller started the run', BOOLEAN),
  }),
);
const REMARK = withDefault(null, nullable(storable({ maxLength: 2_000 })));

const NEW_RUN_BODY = partial({
  input: withDefault({}, described('Codes and values of its input fields', MAP)),
});
const DECISION_BODY = object({ approved: BOOLEAN }, { comment: REMARK, step: REMARK });
const CANCEL_BODY = partial({ reason: REMARK });

const RUN = named('AutomationRun', object(ABOUT));
const RUN_WITH_STEPS = named(
  'AutomationRunWithSteps',
  object({
    ...ABOUT,
    stepCount: integer(0),
    steps: described(`The first ${MAX_SHOWN_STEPS}; \`/steps\` has all`, list(STEP)),
  }),
);

/** Running automations and looking at their runs. Spec: "Other events and streams", automation run status. */
export function automationEndpoints(
  automations: AutomationsService,
  streams: Streams,
  runStream: RunStream,
  approvals: WaitingApprovalsParts,
): readonly Endpoint[] {
  return [
    approvalsEndpoint(approvals),
    ...runReadEndpoints(automations, streams, runStream),
    ...runChangeEndpoints(automations),
    ...startEndpoints(automations),
  ];
}

function approvalsEndpoint(approvals: WaitingApprovalsParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${BASE}/approvals`,
    access: SIGNED_IN,
    tag,
    summary: 'The approvals that the caller is asked for, the oldest first',
    description: 'They need no `automation:run`. `record` is what the run is about, if the caller may read it.',
    query: parameters(PAGING_QUERY),
    data: pageOf(APPROVAL),
    async handle({ actor, query: { pageNum, pageSize } }) {
      const offset = (pageNum - 1) * pageSize;
      const { approvals: records, total } = await waitingApprovalsFor(approvals, actor, pageSize, offset);
      return { records: [...records], total, pageNum, pageSize };
    },
  });
}

function runReadEndpoints(
  automations: AutomationsService,
  streams: Streams,
  runStream: RunStream,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access: SIGNED_IN,
      tag,
      summary: 'The automations that the caller may run',
      data: list(AUTOMATION),
      handle: ({ actor }) => automations.runnable(actor).map(presentAutomation),
    }),
    endpoint({
      method: 'GET',
      path: RUNS,
      access: SIGNED_IN,
      tag,
      summary: 'Runs of the automations that the caller may run, newest first',
      query: parameters({
        ...PAGING_QUERY,
        status: STATUS,
        automationCode: storable(),
        startedBy: described('The pid of the user who has caused them', PID),
      }),
      data: pageOf(RUN),
      errors: ['FORBIDDEN', 'CONFLICT'],
      async handle({ actor, query: { pageNum, pageSize, automationCode = null, status = null, startedBy = null } }) {
        const filter = { code: automationCode, status, startedBy };
        const { runs, total } = await automations.list(actor, filter, pageSize, (pageNum - 1) * pageSize);
        return { records: runs.map(presentRun), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${RUNS}/:runPid`,
      access: SIGNED_IN,
      tag,
      summary: 'One run, with its steps',
      data: RUN_WITH_STEPS,
      errors: ['FORBIDDEN'],
      handle: async ({ actor, params }) => presentRunWithSteps(await automations.get(actor, params.runPid)),
    }),
    stepsEndpoint(automations),
    streamEndpoint(streams, {
      path: `${RUNS}/:runPid/stream`,
      access: SIGNED_IN,
      tag,
      summary: 'A run, live: events `step` and `run`, then `end`',
      errors: ['FORBIDDEN'],
      async open({ actor, params }) {
        const run = await automations.readable(actor, params.runPid);
        if (hasRunEnded(run)) await runStream.publishEnd(run);
        return { key: runStreamKey(run), recheck: async (now) => void (await automations.readable(now, run.pid)) };
      },
    }),
  ];
}

function stepsEndpoint(automations: AutomationsService): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${RUNS}/:runPid/steps`,
    access: SIGNED_IN,
    tag,
    summary: 'The steps of a run, in the order in which they began',
    query: parameters({ ...PAGING_QUERY, status: oneOf(STEP_STATUSES) }),
    data: pageOf(STEP),
    errors: ['FORBIDDEN'],
    async handle({ actor, params, query: { pageNum, pageSize, status = null } }) {
      const page = await automations.steps(actor, params.runPid, status, pageSize, (pageNum - 1) * pageSize);
      return { records: presentSteps(page), total: page.total, pageNum, pageSize };
    },
  });
}

function runChangeEndpoints(automations: AutomationsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${RUNS}/:runPid/approve`,
      access: SIGNED_IN,
      tag,
      summary: 'Decide about a step that waits for an approval',
      body: DECISION_BODY,
      data: RUN_WITH_STEPS,
      errors: ['FORBIDDEN', 'FOUR_EYES_REQUIRED', 'CONFLICT'],
      handle: async ({ actor, params, body }) =>
        presentRunWithSteps(await automations.decide(actor, params.runPid, body)),
    }),
    endpoint({
      method: 'POST',
      path: `${RUNS}/:runPid/cancel`,
      access: SIGNED_IN,
      tag,
      summary: 'End it, and undo what was done',
      body: CANCEL_BODY,
      data: RUN_WITH_STEPS,
      errors: ['FORBIDDEN', 'CONFLICT'],
      handle: async ({ actor, params, body }) =>
        presentRunWithSteps(await automations.cancel(actor, params.runPid, body.reason)),
    }),
    endpoint({
      method: 'POST',
      path: `${RUNS}/:runPid/retry`,
      access: SIGNED_IN,
      tag,
      summary: 'Have a failed run go on from where it failed',
      data: RUN_WITH_STEPS,
      errors: ['FORBIDDEN', 'CONFLICT'],
      handle: async ({ actor, params }) => presentRunWithSteps(await automations.retry(actor, params.runPid)),
    }),
  ];
}

function startEndpoints(automations: AutomationsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/:code/runs`,
      access: [permissionCode.automationRun('{code}')],
      tag,
      summary: 'Begin a run by hand',
      description:
        'It goes on after the answer: `Location` is where to look. With a key that was used before, the run that was begun with it, with the code `IDEMPOTENT_REPLAY`, and `X-Idempotency-Mismatch: true` where the input was another.',
      headers: { 'X-Idempotent-Key': IDEMPOTENCY_KEY },
      body: NEW_RUN_BODY,
      data: RUN_WITH_STEPS,
      successCodes: ['IDEMPOTENT_REPLAY'],
      accepted: RUN_WITH_STEPS,
      errors: ['CONFLICT'],
      check({ actor, params, body: { input }, request }, errors) {
        const key = request.get('X-Idempotent-Key');
        const problem = key === undefined ? null : problemOfIdempotencyKey(key);
        if (problem !== null) errors['X-Idempotent-Key'] = problem;
        return input && automations.check(actor, params.code, input, errors);
      },
      async handle({ actor, params, checked: input = {}, request }) {
        const key = request.get('X-Idempotent-Key') ?? null;
        const traceId = currentTraceId() ?? newTraceId();
        const { run, replay } = await automations.start(actor, params.code, input, key, traceId);
        const data = presentRunWithSteps(await automations.get(actor, run.pid));
        const headers: Record<string, string> = { Location: `${RUNS}/${run.pid}` };
        if (!replay) return reply(data, { status: 202, message: 'accepted', headers });
        if (replay.mismatch) headers['X-Idempotency-Mismatch'] = 'true';
        return reply(data, { code: 'IDEMPOTENT_REPLAY', message: 'the run that was begun before', headers });
      },
    }),
  ];
}

function presentAutomation({ code, version, content }: Automation) {
  const { name, enabled = true, trigger, input = [] } = content;
  const inputs = input.map((field) => ({ ...field, name: localizedName(field.name) }));
  return { code, name: localizedName(name), version, enabled, trigger: { type: trigger.type }, input: inputs };
}
