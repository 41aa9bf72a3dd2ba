import { Context } from '@temporalio/activity';
import type { Activities } from '../workflows/contracts.ts';
import { heartbeating } from './heartbeating.ts';

interface Builder {
  buildNext(environment: string, signal: AbortSignal, report: (build: object) => void): Promise<boolean>;
}

export function buildActivities(builder: Builder): Pick<Activities, 'buildNext'> {
  return {
    buildNext({ environment }) {
      let latest: object | undefined;
      const report = (build: object): void => void (latest = build);
      const work = builder.buildNext(environment, Context.current().cancellationSignal, report);
      return heartbeating(work, () => latest);
    },
  };
}
