import { isIP } from 'node:net';

/** Domains that answer for any name with the address in it: `10-0-0-1.nip.io`. */
const ADDRESS_DOMAINS = ['nip.io', 'sslip.io', 'xip.io', 'traefik.me', 'backname.io'];
/** Names that lead to one address, as their domains' whole subtree does. */
const KNOWN_DOMAINS: Readonly<Record<string, string>> = {
  localhost: '127.0.0.1',
  'localtest.me': '127.0.0.1',
  'lvh.me': '127.0.0.1',
  'vcap.me': '127.0.0.1',
  'lacolhost.com': '127.0.0.1',
  'metadata.google.internal': '169.254.169.254',
  metadata: '169.254.169.254',
  'instance-data': '169.254.169.254',
};
/** Endings that no public name has: reserved for private networks, or left to them. */
const PRIVATE_ENDINGS = ['internal', 'local', 'home.arpa', 'lan', 'corp', 'home', 'intranet', 'private'];

/** The address that a host name gives away without being resolved; null where it does not. */
export function addressInName(host: string): string | null {
  const name = plain(host);
  const known = Object.keys(KNOWN_DOMAINS).find((domain) => isWithin(name, domain));
  if (known !== undefined) return KNOWN_DOMAINS[known] ?? null;
  const domain = ADDRESS_DOMAINS.find((one) => name.endsWith(`.${one}`));
  return domain === undefined ? null : addressIn(name.slice(0, -domain.length - 1));
}

/** Whether a host name can only be one of a private network. */
export function isPrivateName(host: string): boolean {
  const name = plain(host);
  return PRIVATE_ENDINGS.some((ending) => isWithin(name, ending));
}

/** `a.10.0.0.1`, `a-10-0-0-1`, `0a000001`, `--1` (IPv6, `-` for `:`): null where there is none. */
function addressIn(labels: string): string | null {
  const [, ...four] = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?=$|[.-])/.exec(labels) ?? [];
  if (four.length === 4) return four.map(Number).join('.');
  const last = labels.split('.').at(-1) ?? '';
  const [, hex] = /(?:^|-)([0-9a-f]{8})$/.exec(last) ?? [];
  if (hex !== undefined) return (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.');
  const six = last.replaceAll('-', ':');
  return isIP(six) === 6 ? six : null;
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
