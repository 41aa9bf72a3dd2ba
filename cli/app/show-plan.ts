import { changeLine, ddlLine, patchLine } from '../show-diff.mjs';
import { asLines } from '../terminal.mjs';
import { nameOf, type AppliedFiles, type Change } from './session.ts';

const SIGNS = { ADD: '+', UPDATE: '~', REMOVE: '-' } as const;
const NAMED_AT_MOST = 20;

/** The plan of an apply, for a person. */
export function showPlan({ environment, changes, unmanaged, unowned }: AppliedFiles, isPruned: boolean): string {
  const lines = changeLines(changes);
  const rest = [
    ...(isPruned ? [] : listed('Only in the environment (--prune removes them, keelson pull writes them):', unmanaged)),
    ...listed('Of no application (keelson pull TYPE/code makes a file of one):', unowned),
  ];
  if (changes.length === 0) return asLines([`${environment} is what the files say`, ...rest]);
  const count = (action: Change['action']): number => changes.filter((one) => one.action === action).length;
  const counts = `${count('ADD')} to add, ${count('UPDATE')} to update, ${count('REMOVE')} to remove`;
  return asLines([...lines, ...rest, '', `files -> ${environment}: ${counts}`]);
}

/** What changes of each resource, and the statements for its table. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.flatMap((change) => [
    changeLine(SIGNS[change.action], change),
    ...change.patch.map((operation) => `      ${patchLine(operation)}`),
    ...change.ddl.map(ddlLine),
  ]);
}

function listed(heading: string, resources: AppliedFiles['unmanaged']): string[] {
  if (resources.length === 0) return [];
  const names = resources.slice(0, NAMED_AT_MOST).map((one) => `  ? ${nameOf(one)}`);
  const more = resources.length - names.length;
  return [heading, ...names, ...(more > 0 ? [`  ... and ${more} more`] : [])];
}
