import { promotionPath } from './api-paths.mjs';
import { environmentCodes } from './environments.mjs';
import { EXIT, Refused, UsageError } from './outcome.mjs';
import { parseResolution, pidOf, splitList } from './resource-names.mjs';
import { exitCodeOfValidated, showPromotion } from './show-promotion.mjs';
import { tell } from './terminal.mjs';

/** @typedef {import('./connection.mjs').Connection} Connection */
/** @typedef {import('./output.mjs').Output} Output */
/** @typedef {import('./resource-names.mjs').Named} Named */

/** Options of a validation. */
export const VALIDATION_OPTIONS = /** @type {const} */ ({
  'auto-include': { type: 'boolean', about: 'add the resources that the units refer to and the target lacks' },
  resolve: {
    type: 'string',
    multiple: true,
    about: 'resolve a conflict: CONFLICT:TYPE/code=use_source|keep_target|skip (may be repeated)',
  },
});

/** Options of an apply. */
export const APPLY_OPTIONS = /** @type {const} */ ({
  reason: { type: 'string', about: 'reason for the audit trail' },
  consent: { type: 'string', multiple: true, about: 'consent to changes that hide data: TYPE/code or pid, ...' },
  at: { type: 'string', about: 'apply at this time (ISO 8601)' },
  soak: { type: 'string', about: 'watch the target for this many seconds, and roll back on failures' },
  'max-error-rate': { type: 'string', about: 'with --soak: share of commands that may fail (0.05)' },
});

/** Options of commands that make a promotion and continue with it. */
export const PROMOTE_OPTIONS = /** @type {const} */ ({
  ...VALIDATION_OPTIONS,
  apply: { type: 'boolean', about: 'apply it after a successful validation; needs --reason' },
  ...APPLY_OPTIONS,
});

/** Checks the options that depend on each other. @throws {UsageError} */
export function checkSteps(/** @type {Record<string, any>} */ { apply, ...options }) {
  if (apply && !options.reason) throw new UsageError('--apply needs --reason');
  const lone = apply ? undefined : Object.keys(APPLY_OPTIONS).find((name) => options[name] !== undefined);
  if (lone) throw new UsageError(`--${lone} goes with --apply`);
}

/**
 * Makes the request bodies from the options. Names are looked up before the promotion is created.
 * @param {Record<string, any>} options
 * @param {readonly Named[]} among resources by name
 * @param {string} where end of the error message: `... is not ${where}`
 */
export function parseSteps(options, among, where) {
  return {
    validation: parseValidation(options, among, where),
    application: options.apply ? parseApplication(options, among, where) : null,
  };
}

/** Body of a validate. @param {Record<string, any>} options */
export function parseValidation(options, /** @type {readonly Named[]} */ among, /** @type {string} */ where) {
  const resolutions = splitList(options.resolve).map((one) =>
    parseResolution(one, (name) => pidOf(name, among, where)),
  );
  return {
    ...(options['auto-include'] && { autoInclude: true }),
    ...(resolutions.length > 0 && { resolutions }),
  };
}

/** Body of an apply. @param {Record<string, any>} options */
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

/** All resources in a promotion's plan and conflicts. @returns {Named[]} */
export function namedIn(/** @type {any} */ { plan, conflicts }) {
  const inConflict = conflicts.map((/** @type {any} */ { resourcePid, ...rest }) => ({ ...rest, pid: resourcePid }));
  return [...(plan?.items ?? []), ...inConflict];
}

/**
 * Validates a new promotion and, with `application`, applies it.
 * @param {Connection} connection
 * @param {Output} output
 * @param {string} pid
 * @param {ReturnType<typeof parseSteps>} steps
 * @returns {Promise<number>} the exit code
 */
export async function validateAndApply(connection, output, pid, { validation, application }) {
  const validated = await connection.post(promotionPath(pid, 'validate'), validation).catch((error) => {
    tell(`The promotion ${pid} exists; continue with: keelson promotion validate ${pid}\n`);
    throw error;
  });
  if (!application || validated.data.status !== 'VALIDATED') {
    await show(connection, output, validated.data);
    return exitCodeOfValidated(validated.data);
  }
  await sendRequest(connection, output, pid, 'apply', application);
  return EXIT.ok;
}

/**
 * Sends a request to a promotion and shows its new state, even after a refusal.
 * @param {Connection} connection
 * @param {Output} output
 * @param {string} pid
 * @param {string} request
 * @param {object} body
 */
export async function sendRequest(connection, output, pid, request, body) {
  try {
    const { data } = await connection.post(promotionPath(pid, request), body);
    await show(connection, output, data, { withPlan: data.status === 'APPLIED' });
  } catch (error) {
    if (error instanceof Refused) await showCurrent(connection, output, pid);
    throw error;
  }
}

/**
 * Shows the present state of a promotion. A failure is ignored, because the caller reports the first error.
 */
export async function showCurrent(
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
    // Missing names of environments must not fail the command.
    const codes = await environmentCodes(connection).catch(() => new Map());
    const agreement = promotion.agreement ?? (await agreementOf(connection, promotion));
    return showPromotion({ ...promotion, agreement }, (id) => codes.get(id) ?? `environment ${id}`, withPlan);
  });
}

/** Who must still agree to a promotion that may be applied; undefined where that is no question. */
async function agreementOf(/** @type {Connection} */ connection, /** @type {any} */ { pid, status }) {
  if (status !== 'VALIDATED') return undefined;
  return (await connection.get(promotionPath(pid)).catch(() => null))?.data.agreement;
}
