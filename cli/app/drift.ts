import { environmentPath, withQuery } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import { EXIT } from '../outcome.mjs';
import { table } from '../output.mjs';
import { printableLine } from '../terminal.mjs';
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
  await invocation.output.show(data, () => {
    const applied = `${files.manifest.name} was applied at ${data.appliedAt} by ${data.appliedByName}`;
    if (data.resources.length === 0) return `${applied}; ${data.environment} has not changed since`;
    const rows = data.resources.map((one) => [one.change, nameOf(one), one.version, one.byName, one.at]);
    return `${printableLine(applied)}\n${table(['CHANGE', 'RESOURCE', 'VERSION', 'BY', 'AT'], rows)}`;
  });
  return data.resources.length === 0 ? EXIT.ok : EXIT.differences;
}
