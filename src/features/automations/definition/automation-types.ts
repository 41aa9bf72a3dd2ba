import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { TypeCheck, type ValueType } from '../../../foundation/expressions/type-check.ts';
import { typeOfFields } from '../../../platform/metadata/models/record-types.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { kindOf } from '../steps/step-kinds.ts';
import { stepsOf, type AutomationContent } from './automation-content.ts';
import { expressionsOf } from './automation-expressions.ts';

/** What is wrong with the types of an automation's expressions: path -> problem. */
export function problemsOfAutomationTypes(content: AutomationContent, after: Configuration): FieldErrors {
  const steps = [...stepsOf(content.steps)];
  const outputs: Record<string, ValueType> = {};
  for (const { step } of steps) outputs[step.id] = kindOf(step).outputType?.(step, after) ?? 'any';
  const check = new TypeCheck({
    input: typeOfFields(content.input ?? []),
    event: 'any',
    steps: { fields: outputs },
    item: 'any',
    index: 'any',
    loops: 'any',
    run: { fields: { pid: 'text', automationCode: 'text', createdAt: 'text', startedBy: 'text' } },
    actor: { fields: { pid: 'text', username: 'text', tenantId: 'text' } },
    now: 'time',
  });
  const problems: FieldErrors = {};
  const report = (path: string, source: string): void => {
    const problem = check.problemOf(source);
    if (problem) problems[`content.${path}`] = problem;
  };
  const { trigger } = content;
  const mapping = trigger.type === 'manual' ? {} : (trigger.input ?? {});
  for (const [code, source] of Object.entries(mapping)) report(`trigger.input.${code}`, source);
  for (const { step, path } of steps) {
    for (const { path: key, source } of expressionsOf(step)) report(`${path}.${key}`, source);
  }
  return problems;
}
