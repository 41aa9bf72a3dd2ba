import { Connection } from './connection.mjs';
import { UsageError } from './outcome.mjs';
import { profileName, readProfiles } from './profiles.mjs';
import { withFreshToken } from './sessions.mjs';

const DEFAULT_URL = 'http://localhost:6443';

/**
 * How a command gets its connection: by `--url` and `--token`, else the profile that `--profile` names, else
 * the variables, else the profile of KEELSON_PROFILE or the default one. A profile's token goes to its own
 * service alone, and credentials of variables to none that only a keelson.yaml names.
 * @param {Record<string, any>} options
 * @param {(() => Promise<string | undefined>) | null} ofApplication the service that the nearest keelson.yaml
 *   names; null: nothing is sent
 */
export async function connector(options, ofApplication) {
  const isNamed = options.profile !== undefined || Boolean(process.env.KEELSON_PROFILE);
  const name = profileName(options.profile);
  const known = (await readProfiles())[name];
  const { KEELSON_TOKEN, KEELSON_EMAIL, KEELSON_PASSWORD } = options.profile ? {} : process.env;
  const token = options.token ?? (KEELSON_TOKEN || undefined);
  const ofVariables = { token, email: KEELSON_EMAIL, password: KEELSON_PASSWORD };
  const hasVariables = token !== undefined || Boolean(KEELSON_EMAIL && KEELSON_PASSWORD);
  const profile = known && !hasVariables && ofApplication ? await withFreshToken(name, known) : known;
  const isSaid = options.url ?? (options.profile || (process.env.KEELSON_URL ?? (isNamed && profile?.url)));
  const nearest = isSaid ? undefined : await ofApplication?.();

  /** @returns {string} that of `fallback` unless the person names a service */
  const urlOf = (/** @type {string | undefined} */ fallback = undefined) =>
    options.url ??
    (options.profile ? profile?.url : undefined) ??
    (process.env.KEELSON_URL || undefined) ??
    (isNamed ? profile?.url : undefined) ??
    fallback ??
    nearest ??
    profile?.url ??
    DEFAULT_URL;

  /**
   * @throws {UsageError} for a profile that there is not, and where a file would get credentials of variables
   */
  const connect = (/** @type {string | undefined} */ fallback = undefined) => {
    const url = urlOf(fallback);
    if (hasVariables && !isSaid) requireSameOrigin(url, profile?.url ?? DEFAULT_URL, fallback ?? nearest);
    if (hasVariables) return new Connection({ url, ...ofVariables });
    if (isNamed && !profile) throw new UsageError(`There is no profile ${name}: keelson login --profile ${name}`);
    const isOwn = profile !== undefined && isSameService(profile.url, url);
    return new Connection({ url, ...(isOwn && { token: profile.token }) });
  };
  return { connect, urlOf };
}

/**
 * Credentials go where the person has said: the author of a keelson.yaml must not get them.
 * @throws {UsageError} where the file names another origin than the one that would get them without it
 */
function requireSameOrigin(
  /** @type {string} */ url,
  /** @type {string} */ expected,
  /** @type {string | undefined} */ ofFile,
) {
  if (ofFile === undefined || (URL.canParse(url) && new URL(url).origin === new URL(expected).origin)) return;
  throw new UsageError(
    `keelson.yaml names ${url}, and nothing says that KEELSON_TOKEN, KEELSON_EMAIL or --token are for it: ` +
      `set KEELSON_URL (or --url) if they are, or use keelson login --profile`,
  );
}

function isSameService(/** @type {string} */ one, /** @type {string} */ other) {
  return [one, other].every((url) => URL.canParse(url)) && new URL(one).href === new URL(other).href;
}
