import { text } from '../../../foundation/i18n/text.ts';
import { Type, type Static } from 'typebox';
import { withMembers } from '../../../foundation/expressions/value-sources.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import type { ControlStepKind } from './step-kind.ts';
import { BLOCK, controlSchema } from './step-schema.ts';
import { MAX_ITEMS } from '../automations.limits.ts';

const schema = controlSchema('forEach', {
  items: EXPRESSION,
  steps: BLOCK,
  /** How many items run at once (default 1). */
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
});

/** Runs a block for each item of a list. */
export const forEachStep: ControlStepKind<Static<typeof schema>> = {
  schema,
  isLoop: true,
  blocks: ({ steps }) => [['steps', steps]],

  outputSources: ({ items }, sourcesOf) => withMembers([['items', sourcesOf(items)]]),
  outputType: () => ({ fields: { count: 'number', items: 'any' } }),

  begin(step, { expressions }) {
    const items = expressions.evaluate(step.items, 'items');
    if (!Array.isArray(items)) throw expressions.problem('items', 'is not a list');
    if (items.length > MAX_ITEMS)
      throw expressions.problem('items', text('has more than {max} items', { max: MAX_ITEMS }));
    return { control: items.length, output: { count: items.length, items } };
  },

  async runBlocks({ steps, concurrency = 1, onError }, { control, iteration }, runBlock) {
    let active = 0;
    for (let index = 0; index < (control ?? 0) && active < concurrency; index += 1) {
      const result = await runBlock(steps, [...iteration, index]);
      if (result.outcome === 'active') active += 1;
      if (result.outcome === 'failed' && onError !== 'continue') return result;
    }
    // A condition that stops ends its item alone.
    return { outcome: active > 0 ? 'active' : 'done' };
  },
};
