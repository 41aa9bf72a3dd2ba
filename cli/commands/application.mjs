import { typeScript } from '../typescript.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const init = {
  arguments: ['<directory>'],
  about: 'make an application that works: configuration as files',
  example: 'keelson init my-app',
  run: typeScript(async () => (await import('../app/init.ts')).init),
};
