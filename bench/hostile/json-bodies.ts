import { gzipSync } from 'node:zlib';
import { modelDrafts, type Attack } from './attack.ts';

const MODEL = 'hostile_json';
const FIELDS = [
  { code: 'name', type: 'string' },
  { code: 'data', type: 'json' },
];
const EXECUTE = `/api/meta/commands/execute/hostile:${MODEL}`;

/** As many keys as a body may have, and more. */
const keys = (count: number, escape = 'k') =>
  `{${Array.from({ length: count }, (_, index) => `"${escape}${index}":1`).join(',')}}`;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const numbers = `[${Array.from({ length: 50_000 }, (_, index) => `0.${10 ** 15 + index}7`).join(',')}]`;

const BODIES: readonly string[] = [
  keys(90_000),
  keys(29_000),
  keys(29_000, String.raw`\u006b`),
  nested(500_000),
  `{"fields":[${'"@columns",'.repeat(80_000)}"name"]}`,
  `{"payload":${keys(29_000)}}`,
  `{"payload":{"name":"n","data":${keys(29_000)}}}`,
  `{"payload":{"name":"n","data":${numbers}}}`,
  `{"payload":{"name":"n","data":[${'9'.repeat(1_000_000)}]}}`,
  `{"payload":{"name":"n","data":[${'{},'.repeat(90_000)}{}]}}`,
  `{"payload":{"name":"n","data":["${String.raw`\"`.repeat(500_000)}"]}}`,
];

/** Bodies that take long to parse, to check or to hash, small ones that unpack among them. */
export const jsonBodies: Attack = {
  name: 'json-bodies',

  prepare: ({ save }) => save(...modelDrafts(MODEL, FIELDS)),

  async attack(target) {
    const paths = [EXECUTE, `/api/dynamic/${MODEL}/query`];
    const headers = { 'content-encoding': 'gzip' };
    await Promise.all([
      ...BODIES.flatMap((body) => paths.map((path) => target.send({ method: 'POST', path, body }))),
      ...BODIES.map((body) => target.send({ method: 'POST', path: EXECUTE, body: gzipSync(body), headers })),
      target.send({ method: 'POST', path: `${EXECUTE}/batch`, body: '['.repeat(2 * 1024 * 1024) }),
    ]);
  },
};
