import { readDiff } from '../environments.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { isEmpty, showDiff } from '../show-diff.mjs';
import { typeScript } from '../typescript.mjs';
import { FILES_OPTIONS } from './application.mjs';

const diffFiles = typeScript(async () => (await import('../app/diff.ts')).diff);

/** @type {import('../command-line.mjs').Command} */
export const diff = {
  arguments: ['[source]', '[target]'],
  about: 'show what apply would change; with two environments, what promoting everything would change',
  example: 'keelson diff --env dev',
  options: FILES_OPTIONS,
  async run(invocation) {
    const { connection, output, args } = invocation;
    const [source, target] = args;
    if (source === undefined) return diffFiles(invocation);
    if (target === undefined) throw new UsageError('Name two environments, or none to compare the files');
    const found = await readDiff(connection, source, target);
    await output.show(found, () => showDiff(found));
    return isEmpty(found) ? EXIT.ok : EXIT.differences;
  },
};
