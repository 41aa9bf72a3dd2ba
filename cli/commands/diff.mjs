import { readDiff } from '../environments.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { isEmpty, showDiff } from '../show-diff.mjs';
import { FILES_OPTIONS } from './application.mjs';

/** @type {import('../command-line.mjs').Command} */
export const diff = {
  arguments: ['[source]', '[target]'],
  about: 'show what apply would change; with two environments, what promoting everything would change',
  example: 'keelson diff --env dev',
  options: { ...FILES_OPTIONS, app: { type: 'string', about: 'of two environments: only this application' } },
  async run(invocation) {
    const { connection, output, args, options } = invocation;
    const [source, target] = args;
    if (source === undefined && options.app) throw new UsageError('--app goes with two environments');
    if (source === undefined) return (await import('../app/diff.ts')).diff(invocation);
    if (target === undefined) throw new UsageError('Name two environments, or none to compare the files');
    const found = await readDiff(connection, source, target, options.app);
    await output.show(found, () => showDiff(found));
    return isEmpty(found) ? EXIT.ok : EXIT.differences;
  },
};
