import type { NameResolver } from '../../src/foundation/outbound/name-resolver.ts';
import { OutboundHttp, type OutboundRequest } from '../../src/foundation/outbound/outbound-http.ts';
import { httpEndpoint, type Endpoint } from '../support/endpoint.ts';

/**
 * Name -> the answers to one question after the other; the last one stays. The rule that judges them is the
 * real one.
 */
const NAMES: Record<string, string[][]> = {
  localhost: [['127.0.0.1', '::1']],
  'localhost.': [['127.0.0.1', '::1']],
  'app.localhost': [['127.0.0.1']],
  'ip6-localhost': [['::1']],
  'ip6-loopback': [['::1']],
  'localtest.example.com': [['127.0.0.1']],
  '127.0.0.1.nip.example.com': [['127.0.0.1']],
  'private.example.com': [['10.0.0.5']],
  'metadata.google.internal': [['169.254.169.254']],
  'metadata.azure.internal': [['168.63.129.16']],
  'cgnat.example.com': [['100.64.0.1']],
  'ula.example.com': [['fd00::1']],
  'mapped.example.com': [['::ffff:127.0.0.1']],
  'mapped-hex.example.com': [['::ffff:7f00:1']],
  'compatible.example.com': [['::127.0.0.1']],
  'nat64.example.com': [['64:ff9b::7f00:1']],
  'zone.example.com': [['fe80::1%lo']],
  'any.example.com': [['0.0.0.0']],
  'any6.example.com': [['::']],
  'mixed.example.com': [['93.184.215.14', '127.0.0.1']],
  'mixed-last.example.com': [['127.0.0.1', '93.184.215.14']],
  'mixed6.example.com': [['93.184.215.14', '::1']],
  'not-an-address.example.com': [['localhost']],
  'xn--lclhost-jwa.example.com': [['127.0.0.1']],
};

/** `P` is the canary's port. */
const REFUSED_HOSTS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.127.127.127',
  '2130706433',
  '0x7f000001',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.1',
  '017700000001',
  '0x7f.1',
  '0177.1',
  '0x7F000001',
  '00000177.0.0.1',
  '127.0.0.0x1',
  '0x7f.0.01',
  '0',
  '0.0.0.0',
  '0x0',
  '00.0',
  '127.255.255.254',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '127．0．0．1',
  '127｡0｡0｡1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::1]',
  '[2001:0:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[2002:a9fe:a9fe::]',
  '[64:ff9b::a9fe:a9fe]',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'LOCALHOST',
  'localhost.',
  'lOcAlHoSt',
  ...Object.keys(NAMES),
];

/** What is no URL of a public host whatever the rules for addresses say. */
const REFUSED_URLS = [
  'http://user@127.0.0.1:P/',
  'http://user:pass@localhost:P/',
  'http://example.com@127.0.0.1:P/',
  'http://:p@[::1]:P/',
  'http://127.0.0.1:P\\@example.com/',
  'http://a:b@example.com/',
  'http:127.0.0.1:P',
  'http:/127.0.0.1:P/',
  'http:\\\\127.0.0.1:P\\',
  'http:////127.0.0.1:P/',
  '//127.0.0.1:P/',
  'http://[::1%25lo]:P/',
  'http://[fe80::1%eth0]/',
  'http://[::1',
  'http://::1:P/',
  'http://[127.0.0.1]:P/',
  'http://',
  'http://127.0.0.1:P\r\nHost: example.com/',
  ' http://127.0.0.1:P/',
  'http://127.0.0.1:P/\t',
  'ht\ntp://127.0.0.1:P/',
  'http://256.0.0.1/',
  'http://1.2.3.4.5/',
  'http://0x7f.0.0.0.1/',
  'http://4294967296/',
  'http://a..b/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:P/_GET',
  'ftp://127.0.0.1:P/',
  'dict://127.0.0.1:P/',
  'ws://127.0.0.1:P/',
  'data:text/plain,x',
  'javascript:alert(1)',
  'blob:http://127.0.0.1:P/x',
  'unix:/var/run/docker.sock',
  'about:blank',
  'jar:http://127.0.0.1:P/!/',
  'ldap://127.0.0.1:P/',
  'tftp://127.0.0.1:P/',
  'http+unix://%2fvar%2frun/',
  '',
  'x',
  '/',
  'http://example.com:22/',
  'http://example.com:25/',
  'http://example.com:0/',
  'http://example.com:6379/',
  'http://example.com:65536/',
  'http://example.com:-1/',
  'http://example.com:6667/',
  `http://example.com/${'x'.repeat(2048)}`,
];

let asked: string[] = [];
const resolver: NameResolver = {
  resolve: async (name) => {
    const answers = NAMES[name];
    if (!answers) throw new Error('no such name');
    const turn = asked.filter((one) => one === name).length;
    asked.push(name);
    return answers[Math.min(turn, answers.length - 1)] ?? [];
  },
};

let canary: Endpoint;
let canary6: Endpoint;
const client = new OutboundHttp([], resolver);
const request = (url: string): OutboundRequest => ({ url, method: 'POST', body: '{}', timeoutMs: 2_000 });
const hits = (): number => canary.connections.length + canary6.connections.length;

beforeAll(async () => {
  canary = await httpEndpoint((_request, response) => response.end('canary'));
  canary6 = await httpEndpoint((_request, response) => response.end('canary'), { host: '::1', port: canary.port });
});
beforeEach(() => {
  asked = [];
});
afterEach(() => expect(hits()).toBe(0));
afterAll(async () => {
  client.close();
  await Promise.all([canary.close(), canary6.close()]);
});

async function problemOf(url: string): Promise<string | null> {
  const problem = await client.problemOfTargetUrl(url);
  return problem === null ? null : String(problem);
}

/** Refused when it is saved and, should it have been saved nevertheless, when it is called. */
async function expectRefused(url: string): Promise<void> {
  expect([url, await problemOf(url)]).toEqual([url, expect.any(String)]);
  const outcome = await client.send(request(url));
  expect([url, outcome]).toEqual([
    url,
    expect.objectContaining({ kind: 'error', errorClass: expect.stringMatching(/^(blocked|dns)$/), ip: null }),
  ]);
}

describe('a URL that leads to this machine or its network', () => {
  it.each(REFUSED_HOSTS)('is refused however it is written: http://%s', async (host) => {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${canary.port}/hook`;
      await expectRefused(url);
      expect((await client.send(request(url))) as unknown).toMatchObject({ errorClass: 'blocked' });
    }
  });

  it.each(REFUSED_URLS)('is refused: %j', async (url) => {
    await expectRefused(url.replaceAll('P', String(canary.port)));
  });

  it('is refused without a word of what is there', async () => {
    for (const name of ['private.example.com', 'metadata.google.internal', 'mixed.example.com']) {
      const problem = await problemOf(`http://${name}/`);
      const outcome = await client.send(request(`http://${name}/`));

      expect(problem).toBe('names a host whose address is not public');
      expect(outcome).toMatchObject({ message: 'the address of the host is not public', ip: null });
    }
    expect(await problemOf('http://192.168.1.1/')).toBe(
      'must not be an address that is not public (192.168.1.1: private)',
    );
  });

  it('is refused by its name alone, though no name server knows it, or says that it is public', async () => {
    NAMES['10-0-0-1.nip.io'] = [['93.184.215.14']];
    for (const name of ['10-0-0-1.nip.io', '127.0.0.1.sslip.io', 'metadata', 'intranet.corp', 'unknown.internal']) {
      await expectRefused(`http://${name}/`);
      expect(await problemOf(`http://${name}/`)).toBe('names a host whose address is not public');
    }
  });

  it('may be saved before its name can be resolved', async () => {
    expect(await problemOf('http://nowhere.example.com/')).toBeNull();
  });
});

describe('a URL of a public host', () => {
  it('may be saved, with a usual port, a query and a fragment', async () => {
    NAMES['hooks.example.com'] = [['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']];
    const urls = ['http://hooks.example.com', 'https://hooks.example.com/a?b=c#d', 'https://hooks.example.com:8443/'];

    for (const url of [
      ...urls,
      'http://hooks.example.com:1024/',
      'https://93.184.215.14/',
      'https://[2606:2800::1]/',
    ]) {
      expect([url, await problemOf(url)]).toEqual([url, null]);
    }
  });

  it('is refused at the call when its name has come to mean this machine since', async () => {
    NAMES['rebind.example.com'] = [['93.184.215.14'], ['127.0.0.1']];
    const url = `http://rebind.example.com:${canary.port}/`;

    expect(await problemOf(url)).toBeNull();
    expect(await client.send(request(url))).toMatchObject({ errorClass: 'blocked', ip: null });
    expect(await client.send(request(url))).toMatchObject({ errorClass: 'blocked', ip: null });
  });
});

describe('an address that the operator allows', () => {
  let allowed: Endpoint;
  const lenient = new OutboundHttp(['::1/128'], resolver);
  beforeAll(async () => {
    const location = `http://127.0.0.1:${canary.port}/`;
    const answer = { 301: { location }, 302: { location }, 303: { location }, 307: { location }, 308: { location } };
    allowed = await httpEndpoint(
      ({ url = '' }, response) => {
        const status = Number(url.slice(1)) as keyof typeof answer;
        if (answer[status]) response.writeHead(status, { ...answer[status], refresh: `0; url=${location}` }).end();
        else response.end('allowed');
      },
      { host: '::1' },
    );
  });
  afterAll(async () => {
    lenient.close();
    await allowed.close();
  });

  it.each([301, 302, 303, 307, 308])('leads nowhere else by a %i', async (status) => {
    const outcome = await lenient.send(request(`http://[::1]:${allowed.port}/${status}`));

    expect(outcome).toMatchObject({ kind: 'response', statusCode: status, ip: '::1' });
  });

  it('is the one that is called: nobody is asked for the name again between the check and the call', async () => {
    NAMES['flip.example.com'] = [['::1'], ['127.0.0.1']];

    const outcome = await lenient.send(request(`http://flip.example.com:${allowed.port}/`));

    expect(outcome).toMatchObject({ kind: 'response', body: 'allowed', ip: '::1' });
    expect(asked).toEqual(['flip.example.com']);
  });

  it('does not make its neighbours allowed', async () => {
    NAMES['half.example.com'] = [['::1', '127.0.0.1']];
    for (const host of ['half.example.com', '127.0.0.1', '[::ffff:127.0.0.1]', '[::]', '0.0.0.0']) {
      const outcome = await lenient.send(request(`http://${host}:${canary.port}/`));
      expect([host, outcome]).toEqual([host, expect.objectContaining({ errorClass: 'blocked' })]);
    }
  });
});
