/** The environments that configuration is promoted through, in that order. */
export const ENVIRONMENTS = ['dev', 'staging', 'prod'] as const;
export type EnvironmentCode = (typeof ENVIRONMENTS)[number];

export function isEnvironment(code: string): code is EnvironmentCode {
  return (ENVIRONMENTS as readonly string[]).includes(code);
}
