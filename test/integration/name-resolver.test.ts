import { createSocket, type Socket } from 'node:dgram';
import { DnsResolver } from '../../src/foundation/outbound/name-resolver.ts';

const [A, AAAA] = [1, 28];
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** Name and type -> addresses as bytes, or the code of a refusal. */
const zone: Record<string, number[][] | number> = {
  [`both.example.com ${A}`]: [
    [127, 0, 0, 5],
    [127, 0, 0, 6],
  ],
  [`both.example.com ${AAAA}`]: [[...Array<number>(15).fill(0), 1]],
  [`four.example.com ${A}`]: [[127, 0, 0, 7]],
  [`four.example.com ${AAAA}`]: SERVFAIL,
  [`six.example.com ${AAAA}`]: [[0xfd, ...Array<number>(14).fill(0), 9]],
  [`none.example.com ${A}`]: [],
  [`none.example.com ${AAAA}`]: [],
};
const asked: string[] = [];

/** The answer of a name server to one question. */
function answerTo(question: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = question.readUInt16BE(at + 1);
  const key = `${labels.join('.').toLowerCase()} ${type}`;
  asked.push(key);
  const found = zone[key] ?? (Object.keys(zone).some((one) => one.startsWith(`${labels.join('.')} `)) ? [] : NXDOMAIN);
  const records = typeof found === 'number' ? [] : found;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
  for (const [offset, count] of [1, records.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * offset);
  const answers = records.map((address) =>
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]),
  );
  return Buffer.concat([header, question.subarray(12, at + 5), ...answers]);
}

let server: Socket;
let resolver: DnsResolver;
beforeAll(async () => {
  server = createSocket('udp4', (question, { port }) => server.send(answerTo(question), port, '127.0.0.1'));
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  resolver = new DnsResolver([`127.0.0.1:${server.address().port}`]);
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

describe('the addresses of a name', () => {
  it('are all of both families: each of them is to be judged', async () => {
    expect(await resolver.resolve('both.example.com')).toEqual(['127.0.0.5', '127.0.0.6', '::1']);
    expect(asked.sort()).toEqual([`both.example.com ${A}`, `both.example.com ${AAAA}`]);
  });

  it('are those of one family when the other has none or fails', async () => {
    expect(await resolver.resolve('four.example.com')).toEqual(['127.0.0.7']);
    expect(await resolver.resolve('six.example.com')).toEqual(['fd00::9']);
  });

  it('are asked for each time: an answer is no longer good than for the call it was for', async () => {
    zone[`moving.example.com ${A}`] = [[127, 0, 0, 1]];
    expect(await resolver.resolve('moving.example.com')).toEqual(['127.0.0.1']);
    zone[`moving.example.com ${A}`] = [[127, 0, 0, 2]];

    expect(await resolver.resolve('moving.example.com')).toEqual(['127.0.0.2']);
  });

  it.each(['none.example.com', 'nowhere.example.com', 'a..b'])(
    'are an error where there are none: %s',
    async (name) => {
      await expect(resolver.resolve(name)).rejects.toThrow('no address');
    },
  );

  it.each(['localhost', 'localhost.', 'app.localhost'])('are those of this machine for %s, unasked', async (name) => {
    expect(await resolver.resolve(name)).toEqual(['127.0.0.1', '::1']);
    expect(asked).toEqual([]);
  });
});
