import { EXIT } from './outcome.mjs';
import { changeLine, ddlLine } from './show-diff.mjs';
import { asLines } from './terminal.mjs';

const SIGNS = /** @type {Record<string, string>} */ ({ ADD: '+', UPDATE: '~', REMOVE: '-' });

/** Final states. */
const ENDED = ['APPLIED', 'REJECTED', 'CANCELLED', 'EXPIRED'];

/** Whether the conflict prevents validation. */
function isOpen(/** @type {any} */ { severity, resolution }) {
  return severity === 'blocking' && resolution === null;
}

export function exitCodeOfValidated(/** @type {any} */ { status }) {
  return status === 'VALIDATED' ? EXIT.ok : EXIT.conflicts;
}

/**
 * Formats a promotion for a person: plan with DDL, conflicts with their resolutions, approvals.
 * @param {any} promotion
 * @param {(id: number | null) => string} nameOf the code of an environment
 * @param {boolean} withPlan false: only its state
 */
export function showPromotion(promotion, nameOf, withPlan) {
  const { pid, sourceEnvId, targetEnvId, status, rollbackOf, applyAt, failureReason, appliedReason } = promotion;
  const kind = rollbackOf ? `rollback of ${rollbackOf}` : sourceEnvId === null ? 'export' : nameOf(sourceEnvId);
  const lines = [`${pid}  ${kind} -> ${nameOf(targetEnvId)}  ${status}`];
  if (failureReason) lines.push(`the last apply failed: ${failureReason}`);
  if (status === 'APPLIED') lines.push(`applied at ${promotion.appliedAt}: ${appliedReason}`);
  else if (applyAt) lines.push(`to be applied at ${applyAt}`);
  if (promotion.soak) lines.push(soakLine(promotion.soak));
  if (withPlan) lines.push(...planLines(promotion), ...conflictLines(promotion));
  lines.push(...approvalLines(promotion), ...nextSteps(promotion));
  return asLines(lines);
}

function soakLine(/** @type {any} */ { status, seconds, until, reason, rollbackPid }) {
  const what = status === 'WATCHING' ? `until ${until}` : (reason ?? '');
  return [`soak of ${seconds} s: ${status}`, what, rollbackPid && `rollback ${rollbackPid}`].filter(Boolean).join(', ');
}

function planLines(/** @type {any} */ { plan, status }) {
  if (!plan) return [];
  if (plan.items.length === 0) return ['Plan: nothing to do'];
  const isDone = status === 'APPLIED';
  const items = plan.items.flatMap((/** @type {any} */ item) => [
    changeLine(SIGNS[item.action] ?? '?', item),
    ...(isDone ? [] : item.ddl.map(ddlLine)),
  ]);
  return [isDone ? 'Done:' : `Plan, sealed as ${plan.hash.slice(0, 12)}:`, ...items];
}

/** Conflicts of one type and resource are shown together, because one resolution is for all of them. */
function conflictLines(/** @type {any} */ { conflicts, status }) {
  if (conflicts.length === 0 || ENDED.includes(status)) return [];
  const subjects = new Set(conflicts.map(subjectOf));
  return [
    'Conflicts:',
    ...[...subjects].flatMap((subject) =>
      subjectLines(conflicts.filter((/** @type {any} */ one) => subjectOf(one) === subject)),
    ),
  ];
}

function subjectOf(/** @type {any} */ { type, resourceType, code }) {
  return `${type} ${resourceType}/${code}`;
}

/** @param {any[]} conflicts of one subject */
function subjectLines(conflicts) {
  const [{ type, severity, resourceType, code, resolution, resolutions }] = conflicts;
  const name = `${resourceType}/${code}`;
  const lines = [`  ${conflicts.some(isOpen) ? '!' : ' '} ${type} ${name} (${severity})`];
  for (const { message, details } of conflicts) {
    const where = details?.path ?? details?.promotionPid;
    lines.push(`      ${message}${where ? ` (${where})` : ''}`);
  }
  if (resolution) return [...lines, `      resolved: ${resolution}`];
  if (conflicts.some(({ details }) => details?.available)) lines.push('      include it: --auto-include');
  if (severity === 'consent') lines.push(`      consent when you apply: --consent ${name}`);
  if (resolutions.length > 0) lines.push(`      resolve it: --resolve ${type}:${name}=${resolutions.join('|')}`);
  return lines;
}

function approvalLines(/** @type {any} */ { approvals }) {
  return approvals.map((/** @type {any} */ { username, createdAt, comment, valid }) => {
    const remark = comment ? `: ${comment}` : '';
    return `approved by ${username} at ${createdAt}${valid ? '' : ' (for another plan: not valid)'}${remark}`;
  });
}

/**
 * The step that is left.
 * @param {any} promotion with `agreement`, where it is known who must still agree
 * @returns {string[]}
 */
export function nextSteps({ pid, status, applyAt, agreement }) {
  const apply = `keelson promotion apply ${pid} --reason ...`;
  if (status === 'DRAFT' || status === 'FAILED') return [`Next: keelson promotion validate ${pid}`];
  if (status !== 'VALIDATED') return [];
  const missing = agreement?.missing ?? 0;
  if (missing > 0) {
    const others = missing === 1 ? 'another person' : `${missing} other people`;
    const then = applyAt ? '' : `, then ${apply}`;
    return [`Next: keelson promotion approve ${pid} by ${others}${then}`];
  }
  if (applyAt) return [`It is applied then by itself; keelson promotion cancel ${pid} prevents it`];
  return [`Next: ${apply}`];
}
