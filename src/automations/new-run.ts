import { createHash } from 'node:crypto';
import { newPid } from '../database/pid.ts';
import { ApplicationError, validationError, type FieldErrors } from '../errors/application-error.ts';
import { toStoredError, type StoredError } from '../errors/failure.ts';
import { canonicalJson } from '../metadata/canonical-json.ts';
import type { Automation } from '../metadata/snapshot.ts';
import type { RunTrigger } from './automation-run.entity.ts';
import { evaluateMapping, variablesOf } from './run-context.ts';
import { checkInput } from './run-input.ts';
import type { NewRun } from './run-store.ts';

/** Who or what a run is begun by. */
export interface RunOrigin {
  readonly environment: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly userPid: string;
  readonly username: string;
  readonly roles: readonly string[];
  readonly trigger: RunTrigger;
  readonly triggerKey: string | null;
  readonly traceId: string;
  readonly event?: unknown;
  readonly parentRunPid?: string | null;
  readonly depth?: number;
  readonly idempotencyKey?: string | null;
}

/** A run as it is to be inserted. A role that the automation names takes the place of the caller's. */
export function newRun(automation: Automation, origin: RunOrigin, input: Record<string, unknown>): NewRun {
  const { runAs } = automation.content;
  const { depth = 0, parentRunPid = null, idempotencyKey = null, event = null } = origin;
  return {
    pid: newPid(),
    environment: origin.environment,
    tenant_id: origin.tenantId,
    automation_code: automation.code,
    automation_pid: automation.pid,
    version: automation.version,
    trigger: origin.trigger,
    trigger_key: origin.triggerKey,
    user_id: origin.userId,
    user_pid: origin.userPid,
    username: origin.username,
    roles: runAs === undefined ? [...origin.roles] : [runAs],
    depth,
    parent_run_pid: parentRunPid,
    input,
    event,
    status: 'PENDING',
    error: null,
    idempotency_key: idempotencyKey,
    request_hash: createHash('sha256').update(canonicalJson(input)).digest('hex'),
    trace_id: origin.traceId,
  };
}

/** A run that its trigger begins: its input is mapped. Where that is wrong the run has failed, for everybody to see. */
export function triggeredRun(automation: Automation, origin: RunOrigin): NewRun {
  const { trigger } = automation.content;
  const mapping = trigger.type === 'manual' ? {} : (trigger.input ?? {});
  const empty = newRun(automation, origin, {});
  try {
    const facts = { ...empty, created_at: new Date().toISOString() };
    const errors: FieldErrors = {};
    const mapped = evaluateMapping(mapping, variablesOf(facts), 'trigger.input');
    const input = checkInput(automation.content, mapped, errors);
    if (Object.keys(errors).length > 0) return failed(newRun(automation, origin, input), validationError(errors));
    return { ...newRun(automation, origin, input), pid: empty.pid };
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    return failed(empty, error);
  }
}

function failed(run: NewRun, error: ApplicationError): NewRun {
  const stored: StoredError = toStoredError(error);
  return { ...run, status: 'FAILED', error: stored };
}
