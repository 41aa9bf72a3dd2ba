import { isIP } from 'node:net';
import type { AddressRules } from './address-rules.ts';
import type { NameResolver } from './name-resolver.ts';

const MAX_LENGTH = 2_048;
const RESOLVE_TIMEOUT_MS = 5_000;

/** Ports from 1024 on that speak something else than HTTP: those that browsers refuse to fetch from, and databases. */
const REFUSED_PORTS = new Set([
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ],
  ...[3306, 5432, 6379, 11211],
]);

/** The URL that a text stands for if the program may call it, as far as the text alone shows; or what is wrong with it. */
export function parseTarget(text: string): URL | string {
  if (text.length > MAX_LENGTH) return `must not be longer than ${MAX_LENGTH} characters`;
  // The parser drops some of these without a word. Who sends them does not mean a URL.
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain spaces or control characters';
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'must be an http or https URL';
  if (url.hostname.includes('..')) return 'must name a host';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port !== '' && !isUsualPort(Number(url.port))) {
    return 'must use port 80, 443, or one from 1024 on that is not reserved for another protocol';
  }
  return url;
}

/** The host of a URL as programs for addresses and names take it: without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/**
 * What is wrong with a URL that the program is to call later, or null. A name is resolved and each of its addresses judged;
 * one that cannot be resolved now may be set up later. The answer may change until the call, where the same is checked again.
 */
export async function problemOfTargetUrl(
  text: string,
  rules: AddressRules,
  resolver: NameResolver,
): Promise<string | null> {
  const url = parseTarget(text);
  if (typeof url === 'string') return url;
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    const refusal = rules.refusal(host);
    return refusal === null ? null : `must not be an address that is not public (${host}: ${refusal})`;
  }
  const addresses = await withinTime(resolver.resolve(host));
  // Which address it is stays here: the answer must not be a way to ask the operator's own name servers.
  const refused = addresses.some((address) => rules.refusal(address) !== null);
  return refused ? 'names a host whose address is not public' : null;
}

function isUsualPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1_024 && !REFUSED_PORTS.has(port));
}

/** The addresses, or none if there are none or they do not come in time. */
async function withinTime(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => resolve([]), RESOLVE_TIMEOUT_MS);
  try {
    return await Promise.race([addresses, late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
