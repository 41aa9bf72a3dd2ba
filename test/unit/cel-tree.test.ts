import { readFileSync } from 'node:fs';
import { evaluationScope } from '../../src/foundation/expressions/evaluation/evaluation-scope.ts';
import {
  checkedTreeOf,
  isNode,
  type CheckedNode,
  type Comprehension,
  type Evaluate,
} from '../../src/foundation/expressions/evaluation/checked-tree.ts';

// A new version of the library passes only when `bounded-expression.ts` has been read against its sources.
const VERSION = '8.0.0';

function parsed(source: string) {
  const expression = evaluationScope({ unlistedVariablesAreDyn: true }).parse(source);
  expect(expression.check()).toMatchObject({ valid: true });
  return { run: expression as (context: object) => unknown, tree: checkedTreeOf(expression) };
}

/** What of a node is used: `*` has a handle, `!` a macro; `=>` leads to the alternate. */
function insides(node: CheckedNode): string {
  const { op, args, meta, handle } = node;
  const own = `${op}${typeof handle === 'function' ? '*' : ''}${meta.macro ? '!' : ''}`;
  if (meta.alternate) return `${own} => ${insides(meta.alternate)}`;
  if (op === 'comprehension') {
    const { iterable, init, step } = args as Comprehension;
    return `${own}[${[iterable, init, step].map(insides).join('; ')}]`;
  }
  const parts = (Array.isArray(args) ? args.flat() : [args]).filter(isNode);
  return parts.length === 0 ? own : `${own}(${parts.map(insides).join(' ')})`;
}

describe('the insides of cel-js that bound evaluations', () => {
  it(`are those of version ${VERSION}, which is installed`, () => {
    const wanted = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
    const library = JSON.parse(readFileSync('node_modules/@marcbachmann/cel-js/package.json', 'utf8')) as object;

    expect(wanted.dependencies['@marcbachmann/cel-js']).toBe(VERSION);
    expect(library).toMatchObject({ version: VERSION });
  });

  it.each([
    ['"t"', 'value'],
    ['a.b', '.*(id)'],
    ['a["b"]', '[]*(id value)'],
    ['a.?b', '.?*(id)'],
    ['a[?0]', '[?]*(id value)'],
    ['size(a)', 'call*(id)'],
    ['a.matches("x")', 'rcall*(id value)'],
    ['has(a.b)', 'call!(.(id))'],
    ['cel.bind(x, 1, x)', 'rcall!(id id value id)'],
    ['[1].map(x, x)', 'rcall => comprehension*[list(value); list; accuPush(id)]'],
    ['[1].map(x, true, x)', 'rcall => comprehension*[list(value); list; ?:*(value accuPush(id) accuValue)]'],
    ['[1].filter(x, true)', 'rcall => comprehension*[list(value); list; ?:*(value accuPush(id) accuValue)]'],
    ['[1].all(x, true)', 'rcall => comprehension*[list(value); value; ?:*(value value value)]'],
    ['[1].exists(x, true)', 'rcall => comprehension*[list(value); value; ?:*(value value value)]'],
    ['[1].exists_one(x, true)', 'rcall => comprehension*[list(value); value; ?:*(value accuInc accuValue)]'],
    ['a || b', '||(id id)'],
    ['a && b', '&&(id id)'],
    ...['==', '!=', 'in', '+', '-', '*', '/', '%', '<', '<=', '>', '>='].map((sign) => [
      `a ${sign} b`,
      `${sign}*(id id)`,
    ]),
    ['!a', '!_*(id)'],
    ['-a', '-_*(id)'],
    ['a ? b : c', '?:*(id id id)'],
    ['[a]', 'list(id)'],
    ['{"k": a}', 'map(value id)'],
  ])('of %s are %s', (source, expected) => {
    expect(insides(parsed(source).tree)).toBe(expected);
  });

  it.each([
    ['a.b', { a: { b: 1 } }, [{ b: 1 }, 'b']],
    ['a[b]', { a: [1], b: 0 }, [[1], 0]],
    ['a + b', { a: 'x', b: 'y' }, ['x', 'y']],
    ['a in b', { a: 1, b: [1] }, [1, [1]]],
    ['size(a)', { a: 'x' }, [['x']]],
    ['a.contains("y")', { a: 'x' }, [['x', 'y']]],
    ['a.all(x, true)', { a: [1] }, [[1]]],
  ])('call the handle of %s with its operands', (source, context, operands) => {
    const { run, tree } = parsed(source);
    const node = tree.meta.alternate ?? tree;
    const { handle } = node;
    const calls: unknown[][] = [];
    node.handle = (...given) => {
      calls.push(given.slice(0, operands.length));
      return handle?.(...given);
    };
    run(context);

    expect(calls).toEqual([operands]);
  });

  it.each([
    ['the left operand of a logical operator', 'a || b', (tree: CheckedNode) => tree.left],
    ['the body of a loop', 'c.map(x, x)', (tree: CheckedNode) => (tree.meta.alternate?.args as Comprehension).step],
  ])('evaluate %s by a method that it sets at its first call', (_what, source, partOf) => {
    const { run, tree } = parsed(source);
    const part = partOf(tree) as CheckedNode;
    let own = part.evaluate;
    const first = own;
    let times = 0;
    const evaluate: Evaluate = (...given) => {
      times += 1;
      return own.apply(part, given);
    };
    Object.defineProperty(part, 'evaluate', { get: () => evaluate, set: (given: Evaluate) => (own = given) });
    const context = { a: false, b: true, c: [1] };
    run(context);
    expect(own).not.toBe(first);
    times = 0;
    run(context);
    expect(times).toBe(1);
  });

  it('name the type of a node once it is checked', () => {
    expect(parsed('"t"').tree.checkedType?.name).toBe('string');
  });
});
