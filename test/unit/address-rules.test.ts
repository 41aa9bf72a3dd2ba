import { addressRule, hostRules } from '../../src/foundation/outbound/address-rules.ts';

const refusalOf = addressRule([]);

/** Name, first and last address, and what is next to them outside: null where that is a public address. */
const RANGES: [name: string, first: string, last: string, neighbours: Record<string, string | null>][] = [
  ['unspecified', '0.0.0.0', '0.255.255.255', { '1.0.0.0': null }],
  ['unspecified', '::', '::0', { '::1': 'loopback' }],
  ['loopback', '127.0.0.0', '127.255.255.255', { '126.255.255.255': null, '128.0.0.0': null }],
  ['loopback', '::1', '0:0:0:0:0:0:0:1', { '::2': 'IPv4-compatible' }],
  ['private', '10.0.0.0', '10.255.255.255', { '9.255.255.255': null, '11.0.0.0': null }],
  ['private', '172.16.0.0', '172.31.255.255', { '172.15.255.255': null, '172.32.0.0': null }],
  ['private', '192.168.0.0', '192.168.255.255', { '192.167.255.255': null, '192.169.0.0': null }],
  [
    ...(['private', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff': 'not global unicast', 'fe00::': 'not global unicast' },
  ],
  [
    ...(['private', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff': 'link-local', 'ff00::': 'multicast' },
  ],
  ['shared by a carrier', '100.64.0.0', '100.127.255.255', { '100.63.255.255': null, '100.128.0.0': null }],
  ['link-local', '169.254.0.0', '169.254.255.255', { '169.253.255.255': null, '169.255.0.0': null }],
  [
    ...(['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { 'fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff': 'not global unicast', 'fec0::': 'private' },
  ],
  ['cloud metadata', '168.63.129.16', '168.63.129.16', { '168.63.129.15': null, '168.63.129.17': null }],
  ['documentation', '192.0.2.0', '192.0.2.255', { '192.0.1.255': null, '192.0.3.0': null }],
  ['documentation', '198.51.100.0', '198.51.100.255', { '198.51.99.255': null, '198.51.101.0': null }],
  ['documentation', '203.0.113.0', '203.0.113.255', { '203.0.112.255': null, '203.0.114.0': null }],
  [
    ...(['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff': null, '2001:db9::': null },
  ],
  [
    ...(['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff': null, '3fff:1000::': null },
  ],
  ['benchmarking', '198.18.0.0', '198.19.255.255', { '198.17.255.255': null, '198.20.0.0': null }],
  [
    ...(['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'] as const),
    { '2001:1:ffff:ffff:ffff:ffff:ffff:ffff': 'protocol assignments', '2001:2:1::': 'protocol assignments' },
  ],
  ['multicast', '224.0.0.0', '239.255.255.255', { '223.255.255.255': null, '240.0.0.0': 'reserved' }],
  [
    ...(['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff': 'private' },
  ],
  ['reserved', '240.0.0.0', '255.255.255.254', { '255.255.255.255': 'broadcast' }],
  [
    ...(['IPv4-mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255'] as const),
    { '::fffe:ffff:ffff': 'not global unicast', '::1:0:0:0': 'not global unicast' },
  ],
  [
    ...(['IPv4-translated', '::ffff:0:0.0.0.0', '::ffff:0:255.255.255.255'] as const),
    { '::fffe:ffff:ffff:ffff': 'not global unicast', '::ffff:1:0:0': 'not global unicast' },
  ],
  ['IPv4-compatible', '::0.0.0.2', '::255.255.255.255', { '::1:0:0': 'not global unicast' }],
  [
    ...(['NAT64', '64:ff9b::0.0.0.0', '64:ff9b::255.255.255.255'] as const),
    { '64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff': 'not global unicast', '64:ff9b::1:0:0': 'not global unicast' },
  ],
  [
    ...(['NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'] as const),
    { '64:ff9b:0:ffff:ffff:ffff:ffff:ffff': 'not global unicast', '64:ff9b:2::': 'not global unicast' },
  ],
  ['6to4', '192.88.99.0', '192.88.99.255', { '192.88.98.255': null, '192.88.100.0': null }],
  [
    ...(['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff': null, '2003::': null },
  ],
  [
    ...(['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff': null, '2001:1::': 'protocol assignments' },
  ],
  [
    ...(['discard-only', '100::', '100::ffff:ffff:ffff:ffff'] as const),
    { 'ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff': 'not global unicast', '100:0:0:1::': 'not global unicast' },
  ],
  [
    ...(['ORCHID', '2001:10::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { '2001:f:ffff:ffff:ffff:ffff:ffff:ffff': 'protocol assignments', '2001:30::': 'protocol assignments' },
  ],
  ['protocol assignments', '192.0.0.0', '192.0.0.255', { '191.255.255.255': null, '192.0.1.0': null }],
  ['protocol assignments', '2001:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', { '2001:200::': null }],
  ['AS112 and AMT', '192.31.196.0', '192.31.196.255', { '192.31.195.255': null, '192.31.197.0': null }],
  ['AS112 and AMT', '192.52.193.0', '192.52.193.255', { '192.52.192.255': null, '192.52.194.0': null }],
  ['AS112 and AMT', '192.175.48.0', '192.175.48.255', { '192.175.47.255': null, '192.175.49.0': null }],
  [
    ...(['AS112 and AMT', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'] as const),
    { '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff': null, '2620:4f:8001::': null },
  ],
  ['not global unicast', '::1:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', { '2000::': null }],
  [
    ...(['not global unicast', '4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'] as const),
    { '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff': null, '7fff::': 'not global unicast', '8000::': 'not global unicast' },
  ],
];

describe('an address that may not be called', () => {
  it.each(RANGES)('is one that is %s (%s to %s)', (name, first, last, neighbours) => {
    expect([refusalOf(first), refusalOf(last)]).toEqual([name, name]);
    for (const [address, expected] of Object.entries(neighbours)) {
      expect([address, refusalOf(address)]).toEqual([address, expected]);
    }
  });

  it('is the metadata service of any cloud', () => {
    const services = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16'];
    for (const address of [...services, 'fd00:ec2::254', 'fd20:ce::254']) {
      expect([address, refusalOf(address)]).toEqual([address, expect.any(String)]);
    }
  });

  it('is one that carries another, in whichever of the two spellings', () => {
    for (const prefix of ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2002::', '2001:0:1::']) {
      for (const inner of ['127.0.0.1', '7f00:1', '169.254.169.254', 'a9fe:a9fe', '8.8.8.8', '808:808']) {
        expect([prefix + inner, refusalOf(prefix + inner)]).toEqual([prefix + inner, expect.any(String)]);
      }
    }
    expect(refusalOf('2002:a9fe:a9fe::1')).toBe('6to4');
  });

  it('is whatever is no address: names, zones, brackets, spaces, other ways to write numbers', () => {
    const texts = ['', 'localhost', 'fe80::1%eth0', '2600::1%lo', '::1%1', '[::1]', ' 8.8.8.8', '2130706433', '0x7f.1'];
    for (const text of [...texts, '8.8.8', '8.8.8.8:80', '8.8.8.8/32', '010.8.8.8', '1.2.3.256', '１.１.１.１']) {
      expect([text, refusalOf(text)]).toEqual([text, 'not an address']);
    }
  });
});

describe('an address that may be called', () => {
  it('is every other', () => {
    for (const address of ['1.1.1.1', '8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450::1', '2001:4860::1']) {
      expect([address, refusalOf(address)]).toEqual([address, null]);
    }
  });

  it('is one that the operator allows, alone or by its range, and no other', () => {
    const lenient = addressRule(['127.0.0.0/8', '::1/128', '10.1.2.3', 'fd00::5']);

    for (const address of ['127.0.0.1', '127.255.255.255', '::1', '0:0::1', '10.1.2.3', 'fd00::5']) {
      expect([address, lenient(address)]).toEqual([address, null]);
    }
    for (const address of ['10.1.2.4', '10.1.2.2', 'fd00::4', '0.0.0.0', '::', '169.254.169.254', '192.168.0.1']) {
      expect([address, lenient(address)]).toEqual([address, expect.any(String)]);
    }
  });

  it('is not allowed by an address of the other family: neither covers what maps into it', () => {
    expect(addressRule(['127.0.0.0/8'])('::ffff:127.0.0.1')).toBe('IPv4-mapped');
    expect(addressRule(['::ffff:0:0/96'])('127.0.0.1')).toBe('loopback');
    expect(addressRule(['::/0'])('10.0.0.1')).toBe('private');
    expect(addressRule(['0.0.0.0/0'])('::1')).toBe('loopback');
  });

  it('is every one of a family whose whole range is allowed', () => {
    expect(addressRule(['0.0.0.0/0'])('10.0.0.1')).toBeNull();
    expect(addressRule(['::/0'])('::1')).toBeNull();
  });
});

describe('a host name', () => {
  const { name: named } = hostRules([]);
  it.each([
    'localhost',
    'a.localhost',
    'localhost.',
    'localtest.me',
    'a.b.LVH.me',
    'metadata',
    'metadata.google.internal',
    '10.0.0.1.nip.io',
    'a.10-0-0-1.nip.io',
    'app-127-0-0-1.sslip.io',
    '0a000001.nip.io',
    'www-7f000001.nip.io',
    '--1.sslip.io',
    'a.fd00--1.sslip.io',
    '192.168.1.1.xip.io',
    '169.254.169.254.nip.io.',
    '010.0.0.1.nip.io',
    'metadata.azure.internal',
    'printer.local',
    'router.home.arpa',
    'db.corp',
    'svc.cluster.local',
    'a.lan',
  ])('%s is private by itself, whatever a name server says', (name) => {
    expect(named(name)).toEqual(expect.any(String));
  });

  it.each([
    'example.com',
    'hooks.example.com',
    'nip.io',
    'www.nip.io',
    '8.8.8.8.nip.io',
    '93-184-215-14.sslip.io',
    'localhost.example.com',
    'internal.example.com',
    'mylocal',
    'notlocaltest.me',
    '10.0.0.1.nip.io.example.com',
  ])('%s is judged by its addresses', (name) => {
    expect(named(name)).toBeNull();
  });

  it('of a private network may be called where the operator allows addresses, and one with an address if that is', () => {
    const lenient = hostRules(['10.0.0.0/8']);
    for (const name of ['hooks.corp', 'a.internal', '10.0.0.1.nip.io'])
      expect([name, lenient.name(name)]).toEqual([name, null]);
    for (const name of ['localhost', '127.0.0.1.nip.io', 'metadata.google.internal'])
      expect([name, lenient.name(name)]).toEqual([name, expect.any(String)]);
  });
});
