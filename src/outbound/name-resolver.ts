import { Resolver } from 'node:dns/promises';

/** Finds the addresses of a host name. */
export interface NameResolver {
  /** All of them, at least one. Rejects when there is none or nobody answers. */
  resolve(hostname: string): Promise<readonly string[]>;
}

const QUERY_TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers of the machine, both for IPv4 and IPv6, without a thread: `dns.lookup` would occupy one of the
 * four of the pool, which passwords and files need, for as long as a tenant's name server pleases. So /etc/hosts and
 * search domains, which are the operator's network and not the tenant's business, are not consulted.
 */
export class DnsResolver implements NameResolver {
  readonly #resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });

  /** @param servers as `address:port`; without it, those that the machine is set up with */
  constructor(servers?: readonly string[]) {
    if (servers) this.#resolver.setServers(servers);
  }

  async resolve(hostname: string): Promise<readonly string[]> {
    const name = hostname.replace(/\.$/, '');
    // RFC 6761: these are this machine, and no question for a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const [four, six] = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    const addresses = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('no address', { cause: four.status === 'rejected' && four.reason });
    return addresses;
  }
}
