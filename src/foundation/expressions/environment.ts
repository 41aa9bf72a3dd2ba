import { Environment, type EnvironmentOptions } from '@marcbachmann/cel-js';

const ARITHMETIC: Record<string, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};

/** CEL environment with the limits, number rules and time functions that all expressions share. */
export function celEnvironment(options: Pick<EnvironmentOptions, 'unlistedVariablesAreDyn'> = {}): Environment {
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
  // CEL reads JSON numbers as doubles and literals such as 1 as integers; `record.version + 1` must work.
  for (const [sign, calculate] of Object.entries(ARITHMETIC)) {
    environment.registerOperator(`double ${sign} int`, (left: number, right: bigint) => calculate(left, Number(right)));
    environment.registerOperator(`int ${sign} double`, (left: bigint, right: number) => calculate(Number(left), right));
  }
  return environment;
}
