export const ENVIRONMENTS = '/api/admin/environments';
export const PROMOTIONS = '/api/admin/promotions';
export const AUDIT = '/api/admin/audit';
export const RESOURCES = '/api/meta/resources';

/** @returns {string} the path of an environment, or of what can be asked of it */
export function environmentPath(/** @type {string} */ code, request = '') {
  return `${ENVIRONMENTS}/${encodeURIComponent(code)}${request && `/${request}`}`;
}

/** @returns {string} the path of a promotion, or of what can be asked of it */
export function promotionPath(/** @type {string} */ pid, request = '') {
  return `${PROMOTIONS}/${encodeURIComponent(pid)}${request && `/${request}`}`;
}

/**
 * A path with the parameters that have a value.
 * @param {string} path
 * @param {Record<string, string | undefined>} parameters
 */
export function withQuery(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(/** @type {[string, string][]} */ (given))}`;
}
