import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { Type, type Static } from 'typebox';
import { withMembers } from '../../../foundation/expressions/value-origin.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import { isNoList } from '../../../platform/metadata/models/value-fit.ts';
import type { ControlStepKind } from './step-kind.ts';
import { BLOCK, controlSchema } from './step-schema.ts';
import { MAX_ITEMS, MAX_RUN_ITEMS } from '../automations.limits.ts';

const schema = controlSchema('forEach', {
  items: EXPRESSION,
  steps: BLOCK,
  /** How many items run at once (default 1). */
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
});

/** Runs a block for each item of a list. */
export const forEachStep: ControlStepKind<Static<typeof schema>> = {
  schema,
  list: ({ items }) => items,
  blocks: ({ steps }) => [['steps', steps]],

  outputOrigin: ({ items }, originOf) => withMembers([['items', originOf(items)]]),
  outputType: () => ({ fields: { count: 'number', items: 'any' } }),
  problemsAmong: ({ items }, _after, check): FieldErrors =>
    check.possibleValuesOf(items).values.some(isNoList) ? { items: 'is not a list' } : {},

  begin(step, { expressions, itemsLeft }) {
    // A list that was not given has no items.
    const items = expressions.evaluate(step.items, 'items') ?? [];
    if (!Array.isArray(items)) throw expressions.problem('items', 'is not a list');
    if (items.length > MAX_ITEMS)
      throw expressions.problem('items', text('has more than {max} items', { max: MAX_ITEMS }));
    if (items.length > itemsLeft)
      throw expressions.problem('items', text('would give the run more than {max} items', { max: MAX_RUN_ITEMS }));
    return { control: items.length, output: { count: items.length, items } };
  },

  async runBlocks({ steps, concurrency = 1, onError }, _state, blocks) {
    let active = 0;
    while (active < concurrency) {
      const result = await blocks.runNextItem(steps);
      if (!result) break;
      if (result.outcome === 'active') active += 1;
      if (result.outcome === 'failed' && onError !== 'continue') return result;
    }
    // A condition that stops ends its item alone.
    return { outcome: active > 0 || blocks.hasItems ? 'active' : 'done' };
  },
};
