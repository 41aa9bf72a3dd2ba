import { inTimeZone } from '../../../foundation/expressions/evaluation/zone-of-context.ts';
import { automationCel } from '../steps/step-expressions.ts';
import { createHash } from 'node:crypto';
import { newPid } from '../../../foundation/database/pid.ts';
import {
  ApplicationError,
  conflict,
  validationError,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import type { Identity } from '../../../platform/auth/requests/actor.ts';
import { canonicalJson } from '../../../foundation/validation/canonical-json.ts';
import type { RunStart } from '../../../platform/events/outbox/event.entity.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { checkDeclaredFields } from '../../../platform/metadata/field-types/field-value.ts';
import type { AutomationContent } from '../definition/automation-content.ts';
import type { Automation } from '../definition/automation-type.ts';
import type { RunTrigger } from './rows/automation-run.entity.ts';
import { MAX_CHAIN_DEPTH } from '../automations.limits.ts';
import { variablesOf } from './values/run-context.ts';
import { readEvent } from './values/run-event.ts';
import type { NewRun } from './rows/run-store.ts';

/** The user and the trigger that start a run. */
export interface RunCause extends Identity {
  readonly environment: string;
  readonly trigger: RunTrigger;
  readonly triggerKey: string | null;
  readonly traceId: string;
  readonly event?: unknown;
  readonly parentRunPid?: string | null;
  readonly depth?: number;
  readonly idempotencyKey?: string | null;
}

/**
 * The input of a run, checked against the automation's declared fields, with defaults.
 * @param errors by field
 */
export function checkInput(
  { input: fields = [] }: AutomationContent,
  given: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): Record<string, unknown> {
  return checkDeclaredFields(fields, given, 'is not an input of this automation', errors);
}

/** A run to insert. `runAs` replaces the roles of its cause. */
export function newRun(automation: Automation, cause: RunCause, input: Record<string, unknown>): NewRun {
  const { runAs } = automation.content;
  return {
    event: null,
    parentRunPid: null,
    depth: 0,
    idempotencyKey: null,
    ...cause,
    pid: newPid(),
    automationCode: automation.code,
    automationPid: automation.pid,
    version: automation.version,
    keyMadeBy: cause.keyMadeBy ?? null,
    roles: runAs === undefined ? [...cause.roles] : [runAs],
    input,
    inputOrigin: null,
    status: 'PENDING',
    error: null,
    requestHash: createHash('sha256').update(canonicalJson(input)).digest('hex'),
  };
}

/**
 * A run that a trigger starts, with its mapped input. Invalid input makes a FAILED run, so that it can be
 * seen.
 */
export function triggeredRun(automation: Automation, cause: RunCause, metadata: Snapshot): NewRun {
  const { trigger } = automation.content;
  const mapping = trigger.type === 'manual' ? {} : (trigger.input ?? {});
  const empty = newRun(automation, cause, {});
  try {
    const event = readEvent(empty.event, metadata);
    const variables = variablesOf({ ...empty, createdAt: new Date().toISOString() }, event);
    const local = inTimeZone(variables, metadata.timeZoneOf(cause.tenantId));
    const mapped = automationCel.evaluateAll(mapping, local, 'trigger.input');
    const errors: FieldErrors = {};
    const input = checkInput(automation.content, mapped, errors);
    const run = { ...newRun(automation, cause, input), pid: empty.pid };
    return Object.keys(errors).length > 0 ? failed(run, validationError(errors)) : run;
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    return failed(empty, error);
  }
}

/**
 * A run requested by a step of a command. If it cannot run, a FAILED run is written: its pid was answered.
 */
export function requestedRun(automation: Automation, cause: RunCause, start: RunStart): NewRun {
  const errors: FieldErrors = {};
  const input = checkInput(automation.content, start.input, errors);
  const run = { ...newRun(automation, cause, input), pid: start.runPid, inputOrigin: start.origin };
  if (Object.keys(errors).length > 0) return failed(run, validationError(errors));
  const isLoop = (cause.depth ?? 0) > MAX_CHAIN_DEPTH;
  return isLoop ? failed(run, conflict('LIMIT', 'A chain of automations that start each other was cut')) : run;
}

function failed(run: NewRun, error: ApplicationError): NewRun {
  return { ...run, status: 'FAILED', error: toStoredError(error) };
}
