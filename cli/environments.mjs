import { ENVIRONMENTS, RESOURCES, withQuery } from './api-paths.mjs';
import { Failure } from './outcome.mjs';

/** @typedef {import('./connection.mjs').Connection} Connection */
/** @typedef {import('./resource-names.mjs').ResourceName} ResourceName */

/** @returns {Promise<any>} the differences between two environments, or those of one application */
export async function readDiff(
  /** @type {Connection} */ connection,
  /** @type {string} */ source,
  /** @type {string} */ target,
  /** @type {string | undefined} */ app = undefined,
) {
  return (await connection.get(withQuery(`${ENVIRONMENTS}/diff`, { source, target, app }))).data;
}

/**
 * Looks up the numeric ids of environments.
 * @param {Connection} connection
 * @param {readonly string[]} codes
 * @returns {Promise<number[]>}
 * @throws {Failure}
 */
export async function environmentIds(connection, codes) {
  const { data } = await connection.get(ENVIRONMENTS);
  return codes.map((code) => {
    const found = data.find((/** @type {any} */ one) => one.code === code || one.pid === code);
    if (!found) throw new Failure(`There is no environment ${code}`);
    return found.id;
  });
}

/** @returns {Promise<Map<number | null, string>>} from numeric id to code */
export async function environmentCodes(/** @type {Connection} */ connection) {
  const { data } = await connection.get(ENVIRONMENTS);
  return new Map(data.map((/** @type {any} */ { id, code }) => [id, code]));
}

/**
 * Finds the pid of a resource, which is the same in every environment.
 * @param {Connection} connection
 * @param {ResourceName} name
 * @param {readonly string[]} environments searched in this order
 * @returns {Promise<string>}
 * @throws {Failure}
 */
export async function findResource(connection, { resourceType, code }, environments) {
  for (const environment of environments) {
    const path = withQuery(RESOURCES, { resourceType, code });
    const { data } = await connection.get(path, { 'x-environment': environment });
    if (data.records[0]) return data.records[0].pid;
  }
  throw new Failure(`There is no ${resourceType}/${code} in ${environments.join(' or ')}`);
}
