import { environmentPath, withQuery } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import { EXIT } from '../outcome.mjs';
import { table } from '../output.mjs';
import { printableLine } from '../terminal.mjs';
import { readBase } from './base.ts';
import { changedSince } from './reconcile.ts';
import { nameOf, openLenientSession } from './session.ts';

interface Drift {
  readonly environment: string;
  readonly appliedAt: string;
  readonly appliedByName: string;
  readonly resources: readonly {
    readonly resourceType: string;
    readonly code: string;
    readonly change: string;
    readonly version: number;
    readonly byName: string | null;
    readonly at: string;
  }[];
}

/** Shows what was changed in an environment since the files were last applied, and by whom. */
export async function drift(invocation: Invocation): Promise<number> {
  const { files, environment, connection } = await openLenientSession(invocation);
  const path = withQuery(environmentPath(environment, 'drift'), { application: files.manifest.name });
  const data = (await connection.get(path)).data as Drift;
  const session = { files, environment, connection };
  const base = await readBase(session);
  const since = base && { at: base.at, resources: await changedSince(session, base) };
  await invocation.output.show({ ...data, sinceYours: since }, () => {
    const applied = `${files.manifest.name} was applied at ${data.appliedAt} by ${data.appliedByName}`;
    const yours = since
      ? `\nSince your last apply or pull (${since.at}): ${since.resources.join(', ') || 'nothing'}`
      : '';
    if (data.resources.length === 0) return `${applied}; ${data.environment} has not changed since${yours}`;
    const rows = data.resources.map((one) => [one.change, nameOf(one), one.version, one.byName, one.at]);
    return `${printableLine(applied)}\n${table(['CHANGE', 'RESOURCE', 'VERSION', 'BY', 'AT'], rows)}${yours}`;
  });
  return data.resources.length === 0 ? EXIT.ok : EXIT.differences;
}
