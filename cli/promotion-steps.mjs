import { promotionPath } from './api-paths.mjs';
import { environmentCodes } from './environments.mjs';
import { EXIT, Refused, UsageError } from './outcome.mjs';
import { parseResolution, pidOf, splitList } from './resource-names.mjs';
import { exitCodeOfValidated, showPromotion } from './show-promotion.mjs';

/** @typedef {import('./connection.mjs').Connection} Connection */
/** @typedef {import('./output.mjs').Output} Output */
/** @typedef {import('./resource-names.mjs').Named} Named */

/** How people steer a validation. */
export const VALIDATION_OPTIONS = /** @type {const} */ ({
  'auto-include': { type: 'boolean', about: 'also promote what the units need and the target lacks' },
  resolve: {
    type: 'string',
    multiple: true,
    about: 'decide a conflict: CONFLICT:TYPE/code=use_source|keep_target|skip (may be repeated)',
  },
});

/** What goes with an apply. */
export const APPLY_OPTIONS = /** @type {const} */ ({
  reason: { type: 'string', about: 'why; it is in the audit trail' },
  consent: { type: 'string', multiple: true, about: 'agree to data getting out of reach: TYPE/code or pid, ...' },
  at: { type: 'string', about: 'not now but then (ISO 8601)' },
  soak: { type: 'string', about: 'watch it for so many seconds, and roll back by itself if it does harm' },
  'max-error-rate': { type: 'string', about: 'with --soak: the share of commands that may fail (0.05)' },
});

/** The options of commands that make a promotion and go on with it. */
export const CARRY_OPTIONS = /** @type {const} */ ({
  ...VALIDATION_OPTIONS,
  apply: { type: 'boolean', about: 'apply it if it validates; needs --reason' },
  ...APPLY_OPTIONS,
});

/** Whether the options of a command that goes on with a promotion make sense together. @throws {UsageError} */
export function checkSteps(/** @type {Record<string, any>} */ { apply, ...options }) {
  if (apply && !options.reason) throw new UsageError('--apply needs --reason');
  const lone = apply ? undefined : Object.keys(APPLY_OPTIONS).find((name) => options[name] !== undefined);
  if (lone) throw new UsageError(`--${lone} goes with --apply`);
}

/**
 * What has been asked for on the command line, ready to be sent; names are looked up before anything is made.
 * @param {Record<string, any>} options
 * @param {readonly Named[]} among where names are looked up
 * @param {string} where how to say that one is not there
 */
export function parseSteps(options, among, where) {
  return {
    validation: parseValidation(options, among, where),
    application: options.apply ? parseApplication(options, among, where) : null,
  };
}

/** The body of a validate. @param {Record<string, any>} options */
export function parseValidation(options, /** @type {readonly Named[]} */ among, /** @type {string} */ where) {
  const resolutions = splitList(options.resolve).map((one) =>
    parseResolution(one, (name) => pidOf(name, among, where)),
  );
  return {
    ...(options['auto-include'] && { autoInclude: true }),
    ...(resolutions.length > 0 && { resolutions }),
  };
}

/** The body of an apply. @param {Record<string, any>} options */
export function parseApplication(options, /** @type {readonly Named[]} */ among, /** @type {string} */ where) {
  const { soak, 'max-error-rate': maxErrorRate } = options;
  if (maxErrorRate !== undefined && soak === undefined) throw new UsageError('--max-error-rate goes with --soak');
  const consent = splitList(options.consent).map((name) => pidOf(name, among, where));
  return {
    reason: options.reason,
    ...(consent.length > 0 && { consent }),
    ...(options.at && { applyAt: options.at }),
    ...(soak !== undefined && {
      soak: { seconds: Number(soak), ...(maxErrorRate !== undefined && { maxErrorRate: Number(maxErrorRate) }) },
    }),
  };
}

/** All resources that a promotion speaks of, by name. @returns {Named[]} */
export function namedIn(/** @type {any} */ { plan, conflicts }) {
  const inConflict = conflicts.map((/** @type {any} */ { resourcePid, ...rest }) => ({ ...rest, pid: resourcePid }));
  return [...(plan?.items ?? []), ...inConflict];
}

/**
 * Validates a promotion that has just been made and, if that was asked for and it may be, applies it.
 * @param {Connection} connection
 * @param {Output} output
 * @param {string} pid
 * @param {ReturnType<typeof parseSteps>} steps
 * @returns {Promise<number>} the exit code
 */
export async function carryOut(connection, output, pid, { validation, application }) {
  const validated = await connection.post(promotionPath(pid, 'validate'), validation).catch((error) => {
    process.stderr.write(`The promotion ${pid} has been made; go on with: keelson validate ${pid}\n`);
    throw error;
  });
  if (!application || validated.data.status !== 'VALIDATED') {
    await show(connection, output, validated.data);
    return exitCodeOfValidated(validated.data);
  }
  await ask(connection, output, pid, 'apply', application);
  return EXIT.ok;
}

/**
 * Asks something of a promotion and shows where it then stands, also where the service has refused.
 * @param {Connection} connection
 * @param {Output} output
 * @param {string} pid
 * @param {string} request
 * @param {object} body
 */
export async function ask(connection, output, pid, request, body) {
  try {
    const { data } = await connection.post(promotionPath(pid, request), body);
    await show(connection, output, data, { withPlan: data.status === 'APPLIED' });
  } catch (error) {
    if (error instanceof Refused) await showAsItIs(connection, output, pid);
    throw error;
  }
}

/** Shows where a promotion stands, if that can be had; why it cannot is no news after the error that led here. */
export async function showAsItIs(
  /** @type {Connection} */ connection,
  /** @type {Output} */ output,
  /** @type {string} */ pid,
) {
  const found = await connection.get(promotionPath(pid)).catch(() => null);
  if (found) await show(connection, output, found.data, { withPlan: found.data.status === 'DRAFT' });
}

/**
 * @param {Connection} connection
 * @param {Output} output
 * @param {any} promotion
 */
export async function show(connection, output, promotion, { withPlan = true } = {}) {
  await output.show(promotion, async () => {
    // The names of environments are a courtesy, which must not fail the command.
    const codes = await environmentCodes(connection).catch(() => new Map());
    return showPromotion(promotion, (id) => codes.get(id) ?? `environment ${id}`, withPlan);
  });
}
