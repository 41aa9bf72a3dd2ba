/** What stands for a value that answers do not show. In a request it keeps the value that is stored. */
export const MASK = '***';

const SENSITIVE = /auth|cookie|token|secret|key|passw|credential/i;

/** Headers as answers and logs show them: what may be a credential is masked. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SENSITIVE.test(name) ? MASK : value]),
  );
}
