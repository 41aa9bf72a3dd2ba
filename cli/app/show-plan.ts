import { changeLine, ddlLine, patchLine } from '../show-diff.mjs';
import { nameOf, type AppliedFiles, type Change } from './session.ts';

const SIGNS = { ADD: '+', UPDATE: '~', REMOVE: '-' } as const;
const NAMED_AT_MOST = 20;

/** The plan of an apply, for a person. */
export function showPlan({ environment, changes, unmanaged }: AppliedFiles, isPruned: boolean): string {
  const lines = changes.flatMap((change) => [
    changeLine(SIGNS[change.action], change),
    ...change.patch.map((operation) => `      ${patchLine(operation)}`),
    ...change.ddl.map(ddlLine),
  ]);
  const rest = isPruned ? [] : unmanagedLines(unmanaged);
  if (changes.length === 0) return [`${environment} is what the files say`, ...rest].join('\n');
  const count = (action: Change['action']): number => changes.filter((one) => one.action === action).length;
  const counts = `${count('ADD')} to add, ${count('UPDATE')} to update, ${count('REMOVE')} to remove`;
  return [...lines, ...rest, '', `files -> ${environment}: ${counts}`].join('\n');
}

function unmanagedLines(unmanaged: AppliedFiles['unmanaged']): string[] {
  if (unmanaged.length === 0) return [];
  const names = unmanaged.slice(0, NAMED_AT_MOST).map((one) => `  ? ${nameOf(one)}`);
  const more = unmanaged.length - names.length;
  return [
    'Only in the environment (--prune removes them, keelson pull writes them):',
    ...names,
    ...(more > 0 ? [`  ... and ${more} more`] : []),
  ];
}
