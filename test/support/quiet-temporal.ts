import { DefaultLogger, Runtime } from '@temporalio/worker';
import { IllegalStateError } from '@temporalio/common';

/** For workers inside a test file: the process's runtime logs errors alone. */
export function installQuietRuntime(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: 'off' } } });
  } catch (error) {
    // That of the last file may not have ended.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
