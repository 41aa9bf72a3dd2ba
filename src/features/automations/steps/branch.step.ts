import { Type, type Static } from 'typebox';
import { closedObject, CONDITION } from '../../../platform/metadata/content/schema-parts.ts';
import type { ControlStepKind } from './step-kind.ts';
import { type AnyStep, BLOCK, controlSchema } from './step-schema.ts';

const CASE = closedObject({ if: CONDITION, steps: BLOCK });
const schema = controlSchema('branch', {
  cases: Type.Array(CASE, { minItems: 1, maxItems: 50 }),
  else: Type.Optional(BLOCK),
});

const ELSE = -1;

/** Runs the block of the first case that is true, else that of `else`. */
export const branchStep: ControlStepKind<Static<typeof schema>> = {
  schema,
  outputOrigin: () => ({}),
  outputType: () => ({ fields: { case: 'number' } }),

  blocks(step) {
    const cases = step.cases.map(({ steps }, index): [string, AnyStep[]] => [`cases.${index}.steps`, steps]);
    return step.else ? [...cases, ['else', step.else]] : cases;
  },

  begin({ cases }, { expressions }) {
    const chosen = cases.findIndex((each, index) => expressions.holds(each.if, `cases.${index}.if`));
    return { control: chosen, output: { case: chosen === ELSE ? null : chosen } };
  },

  runBlocks(step, { control }, blocks) {
    const chosen = control === null || control === ELSE ? step.else : step.cases[control]?.steps;
    return blocks.run(chosen ?? []);
  },
};
