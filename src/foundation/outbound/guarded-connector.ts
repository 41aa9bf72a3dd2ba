import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { HostRules } from './address-rules.ts';
import type { NameResolver } from './name-resolver.ts';
import { CONNECT_TIMEOUT_MS, MAX_CONNECT_ATTEMPTS } from '../foundation.limits.ts';

/** The host has an address that may not be called. */
export class BlockedTarget extends Error {}

export class UnresolvedName extends Error {}

/** Opens a connection. @returns the connecting socket; null if there will be none */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket | null;

/**
 * Opens every outbound connection. All addresses of a name are resolved once and checked, and the socket goes
 * to one of them, so a name server cannot change its answer between check and call. One refused address
 * refuses the name. TLS checks the certificate against the name.
 */
export function guardedConnector(rules: HostRules, resolver: NameResolver): Connector {
  const lookup: LookupFunction = (hostname, _options, callback) => {
    checkedAddresses(hostname, rules, resolver).then(
      (addresses) => process.nextTick(callback, null, addresses),
      (error: NodeJS.ErrnoException) => process.nextTick(callback, error, []),
    );
  };
  const connect = buildConnector({
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    rejectUnauthorized: true, // overrides NODE_TLS_REJECT_UNAUTHORIZED
    timeout: 0, // the caller's deadline covers everything
  }) as unknown as (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  return (options, callback) => {
    // `lookup` is not called for an address.
    if (isIP(options.hostname) !== 0 && rules.address(options.hostname) !== null) {
      queueMicrotask(() => callback(new BlockedTarget(), null));
      return null;
    }
    return connect(options, callback);
  };
}

async function checkedAddresses(hostname: string, rules: HostRules, resolver: NameResolver) {
  if (rules.name(hostname) !== null) throw new BlockedTarget();
  const addresses = await resolver.resolve(hostname).catch((cause: unknown) => {
    throw new UnresolvedName('no address', { cause });
  });
  if (addresses.length === 0) throw new UnresolvedName('no address');
  if (addresses.some((address) => rules.address(address) !== null)) throw new BlockedTarget();
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return entries.sort((a, b) => a.family - b.family).slice(0, MAX_CONNECT_ATTEMPTS);
}
