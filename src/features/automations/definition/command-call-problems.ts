import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { TypeCheck } from '../../../foundation/expressions/type-check.ts';
import type { CommandContent } from '../../commands/definition/command-content.ts';
import { payloadFields } from '../../commands/definition/payload-fields.ts';
import { operationMeant, problemsOfRequest } from '../../commands/definition/request-problems.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { problemOfFit, recordOfModel } from '../../../platform/metadata/models/value-fit.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { commandCallsOf } from '../steps/step-kinds.ts';
import type { AnyStep, CommandCall } from '../steps/step-schema.ts';

/**
 * Problems of what a step or its compensation has a command do: what the command would refuse, whatever the
 * run was given. Path below the step -> problem.
 */
export function problemsOfCommandCalls(step: AnyStep, after: Configuration, check: TypeCheck): FieldErrors {
  const problems: FieldErrors = {};
  for (const [at, call] of commandCallsOf(step)) {
    const command = after.find(COMMAND, call.commandCode);
    const model = command && after.find(MODEL, command.modelCode);
    const found = command && model ? problemsOfCall(call, command, model, check) : {};
    for (const [path, problem] of Object.entries(found)) problems[`${at}${path}`] = problem;
  }
  return problems;
}

function problemsOfCall(call: CommandCall, command: CommandContent, model: Model, check: TypeCheck): FieldErrors {
  const { operationType, target, payload = {} } = call;
  const problems: FieldErrors = {};
  const ofTarget = target === undefined ? null : problemOfFit(recordOfModel(model.code), target, check);
  if (ofTarget) problems.target = ofTarget;
  const fields = payloadFields(command, operationMeant(command, operationType), model);
  for (const [code, source] of Object.entries(payload)) {
    const field = fields.find((each) => each.code === code);
    const problem = problemOfFit(field, source, check);
    if (problem) problems[`payload.${code}`] = problem;
  }
  const shape = { operationType, hasTarget: target !== undefined, keys: Object.keys(payload) };
  return { ...problems, ...Object.fromEntries(problemsOfRequest(command, model, shape)) };
}
