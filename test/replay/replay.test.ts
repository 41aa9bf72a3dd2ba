import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { DefaultLogger, Worker } from '@temporalio/worker';
import { workflowBundle } from '../../src/foundation/temporal/workflow-bundle.ts';
import { installQuietRuntime } from '../support/quiet-temporal.ts';

const HISTORIES = new URL('histories/', import.meta.url);
const files = await readdir(HISTORIES);

interface HistoryType {
  fromObject(json: unknown): object;
}
// The SDK's own historyFromJSON needs all of its packages to share one protobufjs, which npm does not grant
// it here.
const proto = createRequire(import.meta.url)('@temporalio/proto') as {
  temporal: { api: { history: { v1: { History: HistoryType } } } };
};
const typeOf = (text: string): unknown =>
  (JSON.parse(text) as { events: { workflowExecutionStartedEventAttributes: { workflowType: { name: string } } }[] })
    .events[0]?.workflowExecutionStartedEventAttributes.workflowType.name;
const historyIn = (text: string): object => proto.temporal.api.history.v1.History.fromObject(JSON.parse(text));

/**
 * Setup: histories of workflows as they were recorded (see record.ts); they are never edited.
 * Timeline: today's workflow code replays each of them, step by step.
 * What this proves: a deployment does not break the commands that are on their way.
 */
describe('the code of the workflows', () => {
  let todays: Awaited<ReturnType<typeof workflowBundle>>;

  beforeAll(async () => {
    const logger = new DefaultLogger('ERROR');
    installQuietRuntime();
    todays = await workflowBundle(logger);
  });

  it('has a history of each workflow', async () => {
    const index = await readFile(new URL('../../workflows/index.ts', import.meta.url), 'utf8');
    const workflows = [...index.matchAll(/export \{ (\w+) \}/g)].map(([, name]) => name);
    const recorded = await Promise.all(
      files.map(async (file) => typeOf(await readFile(new URL(file, HISTORIES), 'utf8'))),
    );

    expect([...new Set(recorded)].sort()).toEqual(workflows.sort());
  });

  it.each(files)('still does what it did in %s', async (file) => {
    const history = historyIn(await readFile(new URL(file, HISTORIES), 'utf8'));

    await expect(Worker.runReplayHistory({ workflowBundle: todays }, history)).resolves.toBeUndefined();
  });

  it('is caught when it does something else', async () => {
    const text = await readFile(new URL('execute-command.v1.succeeded.json', HISTORIES), 'utf8');
    // The history of a workflow that called another activity where today's calls applyCommand.
    const other = text.replace(/"ey[^"]+"/g, (quoted) => {
      const marker = Buffer.from(quoted.slice(1, -1), 'base64').toString();
      return `"${Buffer.from(marker.replace('applyCommand', 'otherCommand')).toString('base64')}"`;
    });
    expect(other).not.toBe(text);

    await expect(Worker.runReplayHistory({ workflowBundle: todays }, historyIn(other))).rejects.toThrow('otherCommand');
  });
});
