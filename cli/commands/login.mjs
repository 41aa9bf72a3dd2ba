import { EXIT } from '../outcome.mjs';

/** @type {import('../command-line.mjs').Command} */
export const login = {
  arguments: [],
  about: 'print a token for KEELSON_TOKEN, so that a script logs in once: log-ins are limited',
  async run({ connection, output }) {
    const jwt = await connection.token();
    await output.show({ jwt }, () => jwt);
    return EXIT.ok;
  },
};
