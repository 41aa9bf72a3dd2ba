import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressRules } from './address-rules.ts';
import type { NameResolver } from './name-resolver.ts';

/** The host is at an address that may not be called. */
export class BlockedTarget extends Error {}

/** The host has no address. */
export class UnresolvedName extends Error {}

/** Opens a connection; answers the socket on its way, or null when there will be none. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket | null;

/** A name may have many addresses; this many are tried, IPv4 first. */
const MAX_ATTEMPTS = 4;
const ATTEMPT_TIMEOUT_MS = 1_000;

/**
 * The only way out: every connection of the client is opened here. The addresses of a name are resolved once and all
 * judged, one refused address refuses the name, and the socket goes to one of those very addresses: between the check and
 * the call nobody is asked again, so a name server that changes its mind changes nothing. TLS still checks the certificate
 * against the name.
 */
export function guardedConnector(rules: AddressRules, resolver: NameResolver): Connector {
  const lookup: LookupFunction = (hostname, _options, callback) => {
    checkedAddresses(hostname, rules, resolver).then(
      (addresses) => process.nextTick(callback, null, addresses),
      (error: NodeJS.ErrnoException) => process.nextTick(callback, error, []),
    );
  };
  const connect = buildConnector({
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    allowH2: false,
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    timeout: 0, // the client's deadline is for everything together
  }) as unknown as (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  return (options, callback) => {
    // Nobody looks up an address.
    if (isIP(options.hostname) !== 0 && rules.refusal(options.hostname) !== null) {
      queueMicrotask(() => callback(new BlockedTarget(), null));
      return null;
    }
    return connect(options, callback);
  };
}

async function checkedAddresses(hostname: string, rules: AddressRules, resolver: NameResolver) {
  const addresses = await resolver.resolve(hostname).catch((cause: unknown) => {
    throw new UnresolvedName('no address', { cause });
  });
  if (addresses.length === 0) throw new UnresolvedName('no address');
  if (addresses.some((address) => rules.refusal(address) !== null)) throw new BlockedTarget();
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return entries.sort((a, b) => a.family - b.family).slice(0, MAX_ATTEMPTS);
}
