import { Connection } from './connection.mjs';
import { saveProfile } from './profiles.mjs';

/** @typedef {import('./profiles.mjs').Profile} Profile */

/** A token with less than this left is exchanged before it is used. */
const MARGIN_MS = 120_000;

/** @returns {Promise<Profile>} @throws {import('./outcome.mjs').Refused} */
export async function logIn(/** @type {string} */ url, /** @type {string} */ email, /** @type {string} */ password) {
  return toProfile(url, email, await publicPost(url, '/api/auth/login', { email, password }));
}

/** Ends the session of a profile in the service. */
export async function logOut(/** @type {Profile} */ { url, token }) {
  await new Connection({ url, token }).post('/api/auth/logout');
}

/**
 * Exchanges the token of a profile if it is about to end. Where that fails, the request that needs it says
 * why.
 * @returns {Promise<Profile>}
 */
export async function withFreshToken(/** @type {string} */ name, /** @type {Profile} */ profile) {
  const { url, email, refreshToken, expiresAt } = profile;
  if (Date.parse(expiresAt) - Date.now() >= MARGIN_MS) return profile;
  try {
    const fresh = toProfile(url, email, await publicPost(url, '/api/auth/refresh', { refreshToken }));
    await saveProfile(name, fresh);
    return fresh;
  } catch {
    return profile;
  }
}

/** A request that needs no log-in: what is sent as its token does not count. @returns {Promise<any>} */
async function publicPost(/** @type {string} */ url, /** @type {string} */ path, /** @type {object} */ body) {
  return (await new Connection({ url, token: 'none' }).post(path, body)).data;
}

/** @returns {Profile} */
function toProfile(/** @type {string} */ url, /** @type {string} */ email, /** @type {any} */ result) {
  const { jwt: token, expiresAt, refreshToken } = result;
  return { url, email, token, expiresAt, refreshToken };
}
