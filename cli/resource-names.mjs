import { Failure, UsageError } from './outcome.mjs';

/**
 * Name of a resource: `PAGE_SCHEMA/leads`, or `PAGE_SCHEMA/leads@3` with a version.
 * @typedef {{resourceType: string, code: string, version?: number}} ResourceName
 * @typedef {{resourceType: string, pid: string, code: string}} Named
 */

const NAME = /^([A-Z][A-Z0-9_]*)\/([^@\s]+)(?:@(\d+))?$/;
const PID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** @returns {ResourceName} @throws {UsageError} */
export function parseName(/** @type {string} */ text) {
  const [, resourceType = '', code = '', version] = NAME.exec(text) ?? [];
  if (!resourceType) throw new UsageError(`A resource is written TYPE/code, such as PAGE_SCHEMA/leads: not ${text}`);
  return { resourceType, code, ...(version && { version: Number(version) }) };
}

/** Elements of a list such as `MODEL/lead,PAGE_SCHEMA/leads`, from a repeatable option. */
export function splitList(/** @type {readonly string[] | undefined} */ values = []) {
  return values.flatMap((value) => value.split(',')).flatMap((value) => value.trim() || []);
}

/**
 * The pid of a resource.
 * @param {string} text TYPE/code or a pid
 * @param {readonly Named[]} among resources by name
 * @param {string} where end of the error message: `... is not ${where}`
 * @throws {Failure}
 */
export function pidOf(text, among, where) {
  if (PID.test(text)) return text;
  const { resourceType, code } = parseName(text);
  const found = among.find((one) => one.resourceType === resourceType && one.code === code);
  if (!found) throw new Failure(`${resourceType}/${code} is not ${where}`);
  return found.pid;
}

/**
 * @param {string} text `CONFLICT_TYPE:TYPE/code=choice`, for example
 * `TARGET_NEWER:PAGE_SCHEMA/leads=use_source`
 * @param {(name: string) => string} resolve from TYPE/code to pid
 * @throws {UsageError}
 */
export function parseResolution(text, resolve) {
  const [, type, name = '', choice] = /^([A-Z_]+):(.+)=(use_source|keep_target|skip)$/.exec(text) ?? [];
  if (!type) throw new UsageError(`--resolve takes CONFLICT:TYPE/code=use_source|keep_target|skip, not ${text}`);
  return { type, resourcePid: resolve(name), resolution: choice };
}
