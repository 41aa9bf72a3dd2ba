/** What a list answers at most. */
export const LARGEST_PAGE = 500;

export const ENVIRONMENTS = '/api/admin/environments';
export const PROMOTIONS = '/api/admin/promotions';
export const AUDIT = '/api/admin/audit';
export const RESEAL = '/api/admin/secrets/reseal';
export const API_DOCUMENT = '/api/openapi.json';
export const EXAMPLES = '/api/meta/commands/examples';
export const EXECUTIONS = '/api/meta/commands/executions';
export const RESOURCES = '/api/meta/resources';
export const EXECUTE = '/api/meta/commands/execute';
export const ME = '/api/auth/me';
export const FILES = '/api/files';
export const IMPORTS = '/api/imports';
export const WEBHOOKS = '/api/webhooks';
export const DELIVERIES = '/api/webhooks/deliveries';
export const AUTOMATIONS = '/api/automations';
export const RUNS = '/api/automations/runs';
export const USERS = '/api/admin/users';
export const SERVICE_ACCOUNTS = '/api/admin/service-accounts';

/** @returns {string} the path below another, of parts that are encoded */
export function pathBelow(/** @type {string} */ base, /** @type {string[]} */ ...segments) {
  return [base, ...segments.map(encodeURIComponent)].join('/');
}

/** @returns {string} the path below that of a page */
export function recordsPath(/** @type {string[]} */ ...segments) {
  return pathBelow('/api/dynamic', ...segments);
}

/** @returns {string} the path of an environment, or of a request to it */
export function environmentPath(/** @type {string} */ code, request = '') {
  return `${ENVIRONMENTS}/${encodeURIComponent(code)}${request && `/${request}`}`;
}

/** @returns {string} the path of a promotion, or of a request to it */
export function promotionPath(/** @type {string} */ pid, request = '') {
  return `${PROMOTIONS}/${encodeURIComponent(pid)}${request && `/${request}`}`;
}

/**
 * Adds the parameters that have a value to a path.
 * @param {string} path
 * @param {Record<string, string | undefined>} parameters
 */
export function withQuery(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(/** @type {[string, string][]} */ (given))}`;
}
