import type { Environment as EvaluationScope } from '@marcbachmann/cel-js';
import { Decimal, parseDecimal, toDecimal } from './decimal.ts';

const ARITHMETIC: Record<string, (left: Decimal, right: Decimal) => Decimal> = {
  '+': (left, right) => left.plus(right),
  '-': (left, right) => left.minus(right),
  '*': (left, right) => left.times(right),
  '/': (left, right) => left.dividedBy(right),
};
const COMPARISONS: Record<string, (order: number) => boolean> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Operators between decimals, numbers, and texts that are numbers. */
export function registerDecimals(scope: EvaluationScope): void {
  scope
    .registerType('Decimal', Decimal)
    .registerFunction('string(Decimal): string', String)
    .registerFunction('double(Decimal): double', Number)
    .registerFunction('int(Decimal): int', (value: Decimal) => value.digits / 10n ** BigInt(value.scale))
    .registerFunction('decimal(dyn): Decimal', toDecimal, {
      description: 'the exact number of an integer, a double or a text',
    })
    .registerOperator('-Decimal', (value: Decimal) => new Decimal(-value.digits, value.scale))
    .registerOperator('string + Decimal', (left: string, right: Decimal) => `${left}${String(right)}`)
    .registerOperator('Decimal + string', (left: Decimal, right: string) => `${String(left)}${right}`);
  for (const other of ['Decimal', 'int', 'double', 'string']) {
    scope.registerOperator(`Decimal == ${other}`, (left: Decimal, right: unknown) => {
      const parsed = parseDecimal(right);
      return parsed !== null && left.compare(parsed) === 0;
    });
    const pairs =
      other === 'Decimal'
        ? [['Decimal', 'Decimal']]
        : [
            ['Decimal', other],
            [other, 'Decimal'],
          ];
    for (const [left, right] of pairs) {
      for (const [sign, holds] of Object.entries(COMPARISONS)) {
        scope.registerOperator(`${left} ${sign} ${right}`, (a: unknown, b: unknown) =>
          holds(toDecimal(a).compare(toDecimal(b))),
        );
      }
      if (other === 'string') continue;
      for (const [sign, calculate] of Object.entries(ARITHMETIC)) {
        scope.registerOperator(`${left} ${sign} ${right}`, (a: unknown, b: unknown) =>
          calculate(toDecimal(a), toDecimal(b)),
        );
      }
    }
  }
}
