import { Router, type Request } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access, SIGNED_IN } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readJsonBody } from '../http/json-body.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok, type Reply } from '../http/reply.ts';
import { currentTraceId, newTraceId } from '../logging/trace.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { Automation } from '../metadata/snapshot.ts';
import type { Streams } from '../streams/streams.ts';
import * as contracts from './automations.contracts.ts';
import { RUN_STATUSES } from './automation-run.entity.ts';
import type { AutomationsService, RunWithSteps } from './automations.service.ts';
import { presentRun, presentRunWithSteps } from './present-run.ts';
import { isOver } from './run-advancer.ts';
import { parseCancel, parseDecision, parseNewRun } from './run-requests.ts';
import { runStreamKey, type RunStream } from './run-stream.ts';

const BASE = '/api/automations';
const RUNS = `${BASE}/runs`;

/** Running automations and looking at their runs. Spec: "Other events and streams", automation run status. */
export function automationRoutes(
  gate: Gate,
  automations: AutomationsService,
  streams: Streams,
  runStream: RunStream,
): Router {
  const router = Router();

  router.get(
    BASE,
    access(SIGNED_IN),
    contract(contracts.listAutomations),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      return ok(automations.runnable(actor).map(presentAutomation));
    }),
  );
  router.all(BASE, onlyMethods('GET'));

  router.get(
    RUNS,
    access(SIGNED_IN),
    contract(contracts.listRuns),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const { filter, pageNum, pageSize } = parseListing(request.query);
      const { runs, total } = await automations.list(actor, filter, pageSize, (pageNum - 1) * pageSize);
      return ok({ records: runs.map(presentRun), total, pageNum, pageSize });
    }),
  );
  router.all(RUNS, onlyMethods('GET'));

  router.get(
    `${RUNS}/:runPid`,
    access(SIGNED_IN),
    contract(contracts.getRun),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      return shown(await automations.get(actor, pidOf(request)));
    }),
  );
  router.all(`${RUNS}/:runPid`, onlyMethods('GET'));

  router.get(`${RUNS}/:runPid/stream`, access(SIGNED_IN), contract(contracts.streamRun), async (request, response) => {
    const { actor } = await gate.admit(request);
    const { run } = await automations.get(actor, pidOf(request));
    if (isOver(run)) await runStream.tellEnd(run);
    const recheck = async (now: Actor): Promise<void> => void (await automations.get(now, run.pid));
    await streams.serve(request, response, { key: runStreamKey(run), actor, recheck });
  });
  router.all(`${RUNS}/:runPid/stream`, onlyMethods('GET'));

  const change = (
    name: keyof typeof contracts.changes,
    act: (actor: Actor, pid: string, body: Record<string, unknown>) => Promise<RunWithSteps>,
  ) => {
    router.post(
      `${RUNS}/:runPid/${name}`,
      access(SIGNED_IN),
      contract(contracts.changes[name]),
      answer(async (request) => {
        const { actor } = await gate.admit(request);
        return shown(await act(actor, pidOf(request), await readJsonBody(request)));
      }),
    );
    router.all(`${RUNS}/:runPid/${name}`, onlyMethods('POST'));
  };
  change('approve', async (actor, pid, body) => automations.decide(actor, pid, parseDecision(body)));
  change('cancel', async (actor, pid, body) => automations.cancel(actor, pid, parseCancel(body)));
  change('retry', (actor, pid) => automations.retry(actor, pid));

  router.post(
    `${BASE}/:code/runs`,
    access(permissionCode.automationRun('{code}')),
    contract(contracts.startRun),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const code = String(request.params.code);
      authorise(actor, permissionCode.automationRun(code));
      const { input, key } = parseNewRun(await readJsonBody(request), request.get('X-Idempotent-Key'));
      const traceId = currentTraceId() ?? newTraceId();
      const { run, replay } = await automations.start(actor, code, input, key, traceId);
      const { data } = shown(await automations.get(actor, run.pid));
      const headers: Record<string, string> = { Location: `${RUNS}/${run.pid}` };
      if (!replay) return ok(data, { status: 202, message: 'accepted', headers });
      if (replay.mismatch) headers['X-Idempotency-Mismatch'] = 'true';
      return ok(data, { code: 'IDEMPOTENT_REPLAY', message: 'the run that was begun before', headers });
    }),
  );
  router.all(`${BASE}/:code/runs`, onlyMethods('POST'));
  return router;
}

function pidOf(request: Request): string {
  return String(request.params.runPid);
}

function shown({ run, steps }: RunWithSteps): Reply {
  return ok(presentRunWithSteps(run, steps));
}

function presentAutomation({ code, version, content }: Automation) {
  const { name, enabled = true, trigger, input = [] } = content;
  return { code, name, version, enabled, trigger: { type: trigger.type }, input };
}

function parseListing(query: Request['query']) {
  const errors: FieldErrors = {};
  const paging = parsePaging(query, errors);
  const { automationCode } = query;
  const status = RUN_STATUSES.find((known) => known === query.status) ?? null;
  if (query.status !== undefined && !status) errors.status = `must be one of ${RUN_STATUSES.join(', ')}`;
  if (automationCode !== undefined && typeof automationCode !== 'string')
    errors.automationCode = 'is given more than once';
  throwIfInvalid(errors);
  return { ...paging, filter: { code: typeof automationCode === 'string' ? automationCode : null, status } };
}
