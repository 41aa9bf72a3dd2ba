import type { Activities } from '../workflows/contracts.ts';
import { reporting } from './context.ts';

interface Builder {
  buildNext(environment: string, signal: AbortSignal, report: (build: object) => void): Promise<boolean>;
}

export function buildActivities(builder: Builder): Pick<Activities, 'buildNext'> {
  return {
    buildNext: ({ environment }) => reporting((signal, report) => builder.buildNext(environment, signal, report)),
  };
}
