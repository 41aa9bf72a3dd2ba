import { readDiff } from '../environments.mjs';
import { EXIT } from '../outcome.mjs';
import { isEmpty, showDiff } from '../show-diff.mjs';

/** @type {import('../command-line.mjs').Command} */
export const diff = {
  arguments: ['<source>', '<target>'],
  about: 'show what promoting everything would add (+), update (~) and remove (-), with its SQL',
  options: { 'exit-code': { type: 'boolean', about: `exit with ${EXIT.differences} if they differ` } },
  async run({ connection, output, args: [source = '', target = ''], options }) {
    const found = await readDiff(connection, source, target);
    await output.show(found, () => showDiff(found));
    return options['exit-code'] && !isEmpty(found) ? EXIT.differences : EXIT.ok;
  },
};
