import { Environment, type EnvironmentOptions } from '@marcbachmann/cel-js';
import { registerDecimals } from '../values/decimal-operators.ts';

const ARITHMETIC: Record<string, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};

/** Scope of evaluations: CEL with the limits, number rules and time functions that all expressions share. */
export function evaluationScope(options: Pick<EnvironmentOptions, 'unlistedVariablesAreDyn'> = {}): Environment {
  const environment = new Environment({
    ...options,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxAstNodes: 2_000, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 },
  })
    .registerFunction('string(google.protobuf.Timestamp): string', (time: Date) => time.toISOString(), {
      description: 'the time as ISO 8601 in UTC',
    })
    .registerFunction('date(google.protobuf.Timestamp): string', (time: Date) => time.toISOString().slice(0, 10), {
      description: 'the day of the time in UTC, as YYYY-MM-DD: fit for a date field',
    });
  registerDecimals(environment);
  // CEL reads JSON numbers as doubles and literals such as 1 as integers; `record.version + 1` must work.
  for (const [sign, calculate] of Object.entries(ARITHMETIC)) {
    environment.registerOperator(`double ${sign} int`, (left: number, right: bigint) => calculate(left, Number(right)));
    environment.registerOperator(`int ${sign} double`, (left: bigint, right: number) => calculate(Number(left), right));
  }
  // What is absent is null, and a comparison with null is false, as in a filter.
  for (const sign of ['<', '<=', '>', '>=']) {
    environment.registerOperator(`null ${sign} null`, () => false);
    for (const type of ['int', 'double', 'string', 'Decimal', 'google.protobuf.Timestamp']) {
      environment.registerOperator(`null ${sign} ${type}`, () => false);
      environment.registerOperator(`${type} ${sign} null`, () => false);
    }
  }
  return environment;
}

/** A scope with any variable, to parse expressions without evaluating them. */
export const untypedScope = evaluationScope({ unlistedVariablesAreDyn: true });
