import { Resolver } from 'node:dns/promises';
import { NAME_QUERY_TIMEOUT_MS, NAME_QUERY_TRIES } from '../foundation.limits.ts';

export interface NameResolver {
  /** All addresses of a host name, at least one. Rejects if there is none or no name server answers. */
  resolve(hostname: string): Promise<readonly string[]>;
}

/**
 * Asks name servers for IPv4 and IPv6 addresses. `dns.lookup` would hold one of the four threads that
 * passwords and files need, for as long as a tenant's name server takes. /etc/hosts and search domains, which
 * belong to the operator's network, do not count.
 */
export class DnsResolver implements NameResolver {
  readonly #resolver = new Resolver({ timeout: NAME_QUERY_TIMEOUT_MS, tries: NAME_QUERY_TRIES });

  /** @param servers as `address:port`; default: the machine's own */
  constructor(servers?: readonly string[]) {
    if (servers) this.#resolver.setServers(servers);
  }

  async resolve(hostname: string): Promise<readonly string[]> {
    const name = hostname.replace(/\.$/, '');
    // RFC 6761: never ask a name server for these.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const [four, six] = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    const addresses = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('no address', { cause: four.status === 'rejected' && four.reason });
    return addresses;
  }
}
