/** Option of commands that work with what is in an environment. */
export const ENVIRONMENT = /** @type {const} */ ({
  env: { type: 'string', about: 'the environment (that of the service)' },
});

/** @returns {Record<string, string>} */
export function headersOf(/** @type {Record<string, any>} */ { env }) {
  return env ? { 'x-environment': env } : {};
}
