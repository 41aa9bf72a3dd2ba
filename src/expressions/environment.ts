import { Environment, type EnvironmentOptions } from '@marcbachmann/cel-js';

const ARITHMETIC: Record<string, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};

/** An environment of CEL as all of Keelson's expressions share it: its limits, its numbers, its times. */
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
  // JSON has one kind of number, which CEL reads as a double; literals such as 1 are integers. `record.version + 1` must work.
  for (const [sign, calculate] of Object.entries(ARITHMETIC)) {
    environment.registerOperator(`double ${sign} int`, (left: number, right: bigint) => calculate(left, Number(right)));
    environment.registerOperator(`int ${sign} double`, (left: bigint, right: number) => calculate(Number(left), right));
  }
  return environment;
}
