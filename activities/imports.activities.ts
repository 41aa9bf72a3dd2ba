import type { Activities } from '../workflows/contracts.ts';
import { reporting } from './context.ts';

interface Imports {
  run(importPid: string, signal: AbortSignal, report: (progress: object) => void): Promise<boolean>;
}

export function importActivities(imports: Imports): Pick<Activities, 'runImport'> {
  return {
    runImport: ({ importPid }) => reporting((signal, report) => imports.run(importPid, signal, report)),
  };
}
