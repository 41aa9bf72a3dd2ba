import { asLines } from './terminal.mjs';

const LONGEST_VALUE = 160;

const SIGNS = { added: '+', updated: '~', removed: '-' };

export function isEmpty(/** @type {any} */ { added, updated, removed }) {
  return added.length + updated.length + removed.length === 0;
}

/** All resources that differ. */
export function everyDifference(/** @type {any} */ { added, updated, removed }) {
  return [...added, ...updated, ...removed];
}

/** Formats a diff for a person: added (+), updated (~) and removed (-) resources. */
export function showDiff(/** @type {any} */ diff) {
  const { source, target, added, updated, removed } = diff;
  if (isEmpty(diff)) return `${source} and ${target} are the same`;
  const lines = Object.entries(SIGNS).flatMap(([kind, sign]) =>
    diff[kind].flatMap((/** @type {any} */ one) => [
      changeLine(sign, one),
      ...(kind === 'updated' ? one.patch.map((/** @type {any} */ operation) => `      ${patchLine(operation)}`) : []),
      ...one.ddl.map(ddlLine),
    ]),
  );
  const counts = `${added.length} to add, ${updated.length} to update, ${removed.length} to remove`;
  return asLines([...lines, '', `${source} -> ${target}: ${counts}`]);
}

/** One resource with the target's present and future version. */
export function changeLine(/** @type {string} */ sign, /** @type {any} */ { resourceType, code, ...versions }) {
  const { sourceVersion, targetVersion, renamedFrom } = versions;
  const renamed = renamedFrom === undefined ? '' : `  renamed from ${renamedFrom}`;
  return `  ${sign} ${resourceType}/${code}  ${targetVersion ?? '-'} -> ${sourceVersion ?? '-'}${renamed}`;
}

export function ddlLine(/** @type {string} */ statement) {
  return `      sql: ${statement.replaceAll(/\s+/g, ' ')}`;
}

export function patchLine(/** @type {any} */ { op, path, from, value }) {
  const text = value === undefined ? '' : ` ${JSON.stringify(value)}`;
  const end = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text;
  return `${op}${from === undefined ? '' : ` ${from} to`} ${path}${end}`;
}
