import { isLongerThan } from '../validation/text-length.ts';
import { isIP } from 'node:net';
import type { HostRules } from './address-rules.ts';
import type { NameResolver } from './name-resolver.ts';
import { text, type Message } from '../i18n/text.ts';
import { NAME_RESOLVE_TIMEOUT_MS } from '../foundation.limits.ts';

const MAX_LENGTH = 2_048;

/**
 * Ports from 1024 on with other protocols than HTTP: those that browsers refuse to fetch from, and databases.
 */
const REFUSED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080, 11211,
]);

const NOT_PUBLIC = 'names a host whose address is not public';

/** Parses a URL. @returns the problem if its text alone shows that it may not be called */
export function parseTarget(given: string): URL | Message {
  if (isLongerThan(given, MAX_LENGTH)) return text('must not be longer than {max} characters', { max: MAX_LENGTH });
  // The parser would silently drop some of these.
  if (/[\s\p{Cc}]/u.test(given)) return 'must not contain spaces or control characters';
  const url = URL.parse(given);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'must be an http or https URL';
  if (url.hostname.includes('..')) return 'must name a host';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port !== '' && !isAllowedPort(Number(url.port))) {
    return 'must use port 80, 443, or one from 1024 on that is not reserved for another protocol';
  }
  return url;
}

/** Host of a URL, without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Problem of the host that a URL names, which is not resolved; null where it may be called. */
export function problemOfAddress(url: URL, rules: HostRules): Message | null {
  const host = hostOf(url);
  if (isIP(host) === 0) return rules.name(host) === null ? null : NOT_PUBLIC;
  const problem = rules.address(host);
  return problem === null
    ? null
    : text('must not be an address that is not public ({host}: {problem})', { host, problem });
}

/**
 * Problem of a URL that will be called later, or null. Checks every address of its name; a name that cannot
 * be resolved is accepted, because it may be set up later. Each call repeats the check.
 */
export async function problemOfTargetUrl(
  given: string,
  rules: HostRules,
  resolver: NameResolver,
): Promise<Message | null> {
  const url = parseTarget(given);
  if (!(url instanceof URL)) return url;
  const host = hostOf(url);
  const ofHost = problemOfAddress(url, rules);
  if (ofHost !== null || isIP(host) !== 0) return ofHost;
  const addresses = await resolvedInTime(resolver.resolve(host));
  // The message must not reveal the address, which may come from the operator's own name servers.
  const refused = addresses.some((address) => rules.address(address) !== null);
  return refused ? NOT_PUBLIC : null;
}

function isAllowedPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1_024 && !REFUSED_PORTS.has(port));
}

/** The addresses; none if they are unknown or late. */
async function resolvedInTime(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => resolve([]), NAME_RESOLVE_TIMEOUT_MS);
  try {
    return await Promise.race([addresses, late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
