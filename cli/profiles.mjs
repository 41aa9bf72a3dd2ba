import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseJson } from './envelope.mjs';
import { Failure, UsageError } from './outcome.mjs';

/**
 * A log-in that is kept for later commands.
 * @typedef {object} Profile
 * @property {string} url the service that the tokens are for, and no other gets
 * @property {string} email
 * @property {string} token
 * @property {string} expiresAt of the token
 * @property {string} refreshToken works once
 */

const DEFAULT_PROFILE = 'default';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;

/** Where the profiles are: readable for their owner alone. */
function profilesPath() {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'keelson', 'profiles.json');
}

/** @returns {Promise<Record<string, Profile>>} by name @throws {Failure} for a file that is none */
export async function readProfiles() {
  const path = profilesPath();
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '{}';
    throw new Failure(`${path} cannot be read: ${error.message}`);
  });
  const profiles = parseJson(text);
  if (typeof profiles !== 'object' || profiles === null) throw new Failure(`${path} is no JSON object: delete it`);
  return profiles;
}

/** Keeps a profile, or removes it. @param {Profile | null} profile */
export async function saveProfile(/** @type {string} */ name, profile) {
  const path = profilesPath();
  const { [name]: _, ...others } = await readProfiles();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A file that is replaced at once is never half written, nor readable for others in between.
  const next = `${path}.${process.pid}`;
  await writeFile(next, `${JSON.stringify({ ...others, ...(profile && { [name]: profile }) }, null, 2)}\n`, {
    mode: 0o600,
  });
  await chmod(next, 0o600);
  await rename(next, path);
}

/**
 * The name of the profile to work with: of `--profile`, KEELSON_PROFILE, or the default one.
 * @param {string | undefined} option
 * @throws {UsageError}
 */
export function profileName(option) {
  const name = option ?? (process.env.KEELSON_PROFILE || DEFAULT_PROFILE);
  if (!NAME.test(name)) throw new UsageError(`A profile's name has letters, digits, "_", "." and "-": not ${name}`);
  return name;
}
