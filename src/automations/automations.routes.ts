import { Router, type Request } from 'express';
import type { Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { problemOfIdempotencyKey } from '../commands/command-request.ts';
import { access, SIGNED_IN } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import type { Paging } from '../http/paging.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok, type Reply } from '../http/reply.ts';
import { currentTraceId, newTraceId } from '../logging/trace.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { Automation } from '../metadata/snapshot.ts';
import type { StreamQuery } from '../streams/stream-contract.ts';
import type { Streams } from '../streams/streams.ts';
import * as contracts from './automations.contracts.ts';
import type { RunStatus } from './automation-run.entity.ts';
import type { AutomationsService, Decision, RunWithSteps } from './automations.service.ts';
import { presentRun, presentRunWithSteps } from './present-run.ts';
import { isOver } from './run-advancer.ts';
import { runStreamKey, type RunStream } from './run-stream.ts';

const BASE = '/api/automations';
const RUNS = `${BASE}/runs`;

interface Filter {
  readonly automationCode?: string;
  readonly status?: RunStatus;
}

interface NewRun {
  readonly input: Readonly<Record<string, unknown>>;
}

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
      const query = readQuery<Paging & Filter>(request, contracts.listRuns);
      const { pageNum, pageSize, automationCode = null, status = null } = query;
      const filter = { code: automationCode, status };
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
    const { lastEventId } = readQuery<StreamQuery>(request, contracts.streamRun);
    const { run } = await automations.get(actor, pidOf(request));
    if (isOver(run)) await runStream.tellEnd(run);
    const recheck = async (now: Actor): Promise<void> => void (await automations.get(now, run.pid));
    await streams.serve(request, response, { key: runStreamKey(run), actor, lastEventId, recheck });
  });
  router.all(`${RUNS}/:runPid/stream`, onlyMethods('GET'));

  const change = <B>(
    name: keyof typeof contracts.changes,
    act: (actor: Actor, pid: string, body: B) => Promise<RunWithSteps>,
  ) => {
    const promised = contracts.changes[name];
    router.post(
      `${RUNS}/:runPid/${name}`,
      access(SIGNED_IN),
      contract(promised),
      answer(async (request) => {
        const { actor } = await gate.admit(request);
        return shown(await act(actor, pidOf(request), await readBody<B>(request, promised)));
      }),
    );
    router.all(`${RUNS}/:runPid/${name}`, onlyMethods('POST'));
  };
  change<Decision>('approve', (actor, pid, decision) => automations.decide(actor, pid, decision));
  change<{ reason: string | null }>('cancel', (actor, pid, { reason }) => automations.cancel(actor, pid, reason));
  change('retry', (actor, pid) => automations.retry(actor, pid));

  router.post(
    `${BASE}/:code/runs`,
    access(permissionCode.automationRun('{code}')),
    contract(contracts.startRun),
    answer(async (request) => {
      const code = String(request.params.code);
      const actor = await gate.admitWith(request, permissionCode.automationRun(code));
      const key = request.get('X-Idempotent-Key');
      const { input } = await readBody<NewRun>(request, contracts.startRun, (_good, errors) => {
        const problem = key === undefined ? null : problemOfIdempotencyKey(key);
        if (problem !== null) errors['X-Idempotent-Key'] = problem;
      });
      const traceId = currentTraceId() ?? newTraceId();
      const { run, replay } = await automations.start(actor, code, input, key ?? null, traceId);
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
