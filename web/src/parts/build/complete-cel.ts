import type { CelNames } from './cel-names.ts';

/** What the service adds to CEL, and what of CEL is used most. */
const FUNCTIONS = ['date', 'decimal', 'double', 'has', 'int', 'size', 'string', 'timestamp'];
const NAME = /(?:^|[^\w."'])((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)?$/;

export interface Offer {
  readonly name: string;
  readonly about?: string | undefined;
  /** What takes the place of the beginning. */
  readonly text: string;
}

interface CelOffers {
  /** The beginning of a name. */
  readonly typed: string;
  /** A name must follow. */
  readonly isExpected: boolean;
  readonly offers: readonly Offer[];
}

/**
 * The names that may stand at the end of an expression.
 * @param before the document up to there: it has the ids of earlier steps
 */
export function completeCel(expression: string, before: string, names: CelNames): CelOffers | null {
  const [quote = ''] = /^["']/.exec(expression) ?? [];
  const written = expression.slice(quote.length);
  const isInText = (written.match(quote === '"' ? /'/g : /"/g) ?? []).length % 2 === 1;
  const found = NAME.exec(written);
  if (!found || isInText || names.size === 0) return null;
  const [, path = '', typed = ''] = found;
  if (path === '') {
    const offers = [
      ...[...names.keys()].map((name): Offer => ({ name, text: name })),
      ...FUNCTIONS.map((name): Offer => ({ name: `${name}()`, text: `${name}(` })),
    ];
    return { typed, isExpected: false, offers };
  }
  const variable = path.slice(0, -1);
  const keys = variable === 'steps' && names.has(variable) ? stepsIn(before) : names.get(variable);
  return keys === undefined
    ? null
    : { typed, isExpected: true, offers: keys.map((name): Offer => ({ name, text: name })) };
}

/** The last one is the step that is being written, where it is within one. */
function stepsIn(before: string): string[] {
  const ids = [...before.matchAll(/(?:^|[\s{,-])id:\s*([A-Za-z_]\w*)/g)].flatMap(([, id]) => id ?? []);
  const isAfterSteps = /^(?!steps:)\w+:/m.test(before.slice(before.lastIndexOf('\nsteps:') + 1));
  return isAfterSteps ? ids : ids.slice(0, -1);
}
