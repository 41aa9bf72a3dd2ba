import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApplication } from '../../src/application.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { until } from '../support/faults.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function openedAndClosed(): Promise<WeakRef<object>[]> {
  const application = await createApplication(readConfig({ ...process.env, LOG_LEVEL: 'silent' }));
  await application.open();
  await application.close();
  const { streams, snapshots, database, store } = application;
  return [streams, snapshots, database, store].map((part) => new WeakRef(part));
}

describe('an application that has closed', () => {
  it('leaves nothing in memory', async () => {
    const parts = await openedAndClosed();

    await until('all is collected', () => {
      collectGarbage();
      return parts.every((part) => part.deref() === undefined);
    });
  });
});
