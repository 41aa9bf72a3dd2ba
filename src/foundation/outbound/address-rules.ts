import { BlockList, isIP } from 'node:net';
import { addressInName, isPrivateName } from './private-names.ts';
import { type Message, quoted } from '../i18n/text.ts';

/**
 * Ranges that are not public hosts, by name, narrower ranges first: the IANA registries of special-purpose
 * addresses, and metadata services of clouds. IPv6 addresses that carry an IPv4 address (mapped, translated,
 * tunnelled) are refused whole: a public host needs none, and the inner address may be private.
 */
const REFUSED_RANGES: readonly (readonly [name: Message, ...cidrs: string[]])[] = [
  ['unspecified', '0.0.0.0/8', '::/128'],
  ['loopback', '127.0.0.0/8', '::1/128'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  ['shared by a carrier', '100.64.0.0/10'],
  ['link-local', '169.254.0.0/16', 'fe80::/10'],
  ['cloud metadata', '168.63.129.16/32'],
  ['documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  ['benchmarking', '198.18.0.0/15', '2001:2::/48'],
  ['multicast', '224.0.0.0/4', 'ff00::/8'],
  ['broadcast', '255.255.255.255/32'],
  ['reserved', '240.0.0.0/4'],
  [quoted('IPv4-mapped'), '::ffff:0:0/96'],
  [quoted('IPv4-translated'), '::ffff:0:0:0/96'],
  [quoted('IPv4-compatible'), '::/96'],
  [quoted('NAT64'), '64:ff9b::/96', '64:ff9b:1::/48'],
  [quoted('6to4'), '192.88.99.0/24', '2002::/16'],
  [quoted('Teredo'), '2001::/32'],
  ['discard-only', '100::/64'],
  [quoted('ORCHID'), '2001:10::/28', '2001:20::/28'],
  ['protocol assignments', '192.0.0.0/24', '2001::/23'],
  [quoted('AS112 and AMT'), '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '2620:4f:8000::/48'],
  // The rest outside 2000::/3, the only block with addresses of IPv6 hosts.
  ['not global unicast', '::/3', '4000::/2', '8000::/1'],
];

type Contains = (address: string, family: 4 | 6) => boolean;

/** One list per family: a common list matches IPv4 addresses by the IPv6 ranges that they map into. */
function rangesOf(cidrs: readonly string[]): Contains {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/');
    const family = isIP(address) === 6 ? 6 : 4;
    lists[family].addSubnet(address, Number(prefix ?? { 4: 32, 6: 128 }[family]), `ipv${family}`);
  }
  return (address, family) => lists[family].check(address, `ipv${family}`);
}

/** Null if an IP address may be called for a tenant, or else the name of its range. */
export type RefusalOfAddress = (address: string) => Message | null;

/**
 * The rule for addresses: public hosts, and the operator's allow list.
 * @param allowCidrs non-public addresses and CIDR ranges that may be called
 */
export function addressRule(allowCidrs: readonly string[]): RefusalOfAddress {
  const refused = REFUSED_RANGES.map(([name, ...cidrs]) => ({ name, contains: rangesOf(cidrs) }));
  const isAllowed = rangesOf(allowCidrs);
  return (address) => {
    const family = isIP(address);
    // A zone (fe80::1%eth0) names an interface of this machine, and BlockList does not match it.
    if ((family !== 4 && family !== 6) || address.includes('%')) return 'not an address';
    if (isAllowed(address, family)) return null;
    return refused.find(({ contains }) => contains(address, family))?.name ?? null;
  };
}

/** What may be called for a tenant, by address and by host name. */
export interface HostRules {
  readonly address: RefusalOfAddress;
  /**
   * Null if a host name may be resolved; the addresses that it has are judged then. A name that gives its
   * address away is judged by that. One that only a private network has is refused unless the operator allows
   * addresses of such a network.
   */
  readonly name: (host: string) => Message | null;
}

/** @param allowCidrs non-public addresses and CIDR ranges that may be called */
export function hostRules(allowCidrs: readonly string[]): HostRules {
  const refusalOf = addressRule(allowCidrs);
  return {
    address: refusalOf,
    name(host) {
      const address = addressInName(host);
      if (address !== null) return refusalOf(address);
      return isPrivateName(host) && allowCidrs.length === 0 ? 'private' : null;
    },
  };
}
