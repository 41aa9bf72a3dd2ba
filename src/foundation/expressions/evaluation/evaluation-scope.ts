import { Environment, type EnvironmentOptions } from '@marcbachmann/cel-js';
import { dayIn, startOfDay, UTC } from '../../time/time-zones.ts';
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
    // Each evaluation says in which zone these two are meant: see `compileBounded`.
    .registerFunction('date(google.protobuf.Timestamp): string', (time: Date) => dayIn(time, UTC), {
      description: "the day of the time in the tenant's time zone, as YYYY-MM-DD: fit for a date field",
    })
    .registerFunction(
      'date(google.protobuf.Timestamp, string): string',
      (time: Date, zone: string) => dayIn(time, zone),
      {
        description: 'the day of the time in a time zone such as Asia/Shanghai',
      },
    )
    .registerFunction(
      'timestamp(string, string): google.protobuf.Timestamp',
      (day: string, zone: string) => startOfDay(day, zone),
      {
        description: 'the beginning of a day such as 2026-01-31 in a time zone',
      },
    );
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
