import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EXIT, Failure, UsageError } from '../outcome.mjs';
import { profileName, readProfiles, saveProfile } from '../profiles.mjs';
import { logIn, logOut } from '../sessions.mjs';
import { tell } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const login = {
  arguments: [],
  about: 'keep a log-in for later commands, or print a token for KEELSON_TOKEN: log-ins are limited',
  isOffline: true,
  example: 'keelson login --profile work --url https://keelson.example',
  options: {
    print: { type: 'boolean', about: 'print the token, keep nothing; the default where no terminal reads it' },
  },
  async run({ output, options, serviceUrl }) {
    const isKept = !options.print && (options.profile !== undefined || Boolean(process.stdout.isTTY));
    const name = profileName(options.profile);
    const url = serviceUrl();
    const { email, password } = await credentials();
    const profile = await logIn(url, email, password);
    if (!isKept) {
      await output.show({ jwt: profile.token }, () => profile.token);
      return EXIT.ok;
    }
    await saveProfile(name, profile);
    await output.show({ profile: name, url, email }, () => `Logged in at ${url} as ${email}, in the profile ${name}`);
    return EXIT.ok;
  },
};

/** @type {Command} */
export const logout = {
  arguments: [],
  about: 'end the session of a profile and forget it',
  isOffline: true,
  example: 'keelson logout --profile work',
  async run({ output, options }) {
    const name = profileName(options.profile);
    const profile = (await readProfiles())[name];
    if (!profile) throw new Failure(`There is no profile ${name}`);
    // It is forgotten here even where the service cannot be reached.
    await saveProfile(name, null);
    await logOut(profile);
    await output.show({ profile: name }, () => `Logged out ${profile.email} at ${profile.url}`);
    return EXIT.ok;
  },
};

/** @returns {Promise<{email: string, password: string}>} @throws {UsageError} where no person can be asked */
async function credentials() {
  const { KEELSON_EMAIL: email, KEELSON_PASSWORD: password } = process.env;
  if (email && password) return { email, password };
  if (!process.stdin.isTTY)
    throw new UsageError('Set KEELSON_EMAIL and KEELSON_PASSWORD: there is no terminal to ask at');
  return { email: email || (await ask('E-mail: ', false)), password: await ask('Password: ', true) };
}

async function ask(/** @type {string} */ question, /** @type {boolean} */ isHidden) {
  tell(question);
  // Receives the echo of typed characters.
  const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  const answer = await terminal.question('');
  terminal.close();
  if (isHidden) tell('\n');
  return answer;
}
