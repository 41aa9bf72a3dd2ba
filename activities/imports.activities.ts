import { Context } from '@temporalio/activity';
import type { Activities } from '../workflows/contracts.ts';
import { heartbeating } from './heartbeating.ts';

interface Imports {
  run(importPid: string, signal: AbortSignal, report: (progress: object) => void): Promise<boolean>;
}

export function importActivities(imports: Imports): Pick<Activities, 'runImport'> {
  return {
    runImport({ importPid }) {
      let latest: object | undefined;
      const report = (progress: object): void => void (latest = progress);
      const work = imports.run(importPid, Context.current().cancellationSignal, report);
      return heartbeating(work, () => latest);
    },
  };
}
