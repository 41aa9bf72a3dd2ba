import { createHmac, generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { readConfig } from '../../src/foundation/config/config.ts';
import { call } from './api.ts';
import { container, PASSWORD, type TestUser } from './world.ts';

/** How a request may try to be somebody; by what is wrong with it. */
export type Attempts = ReadonlyMap<string, Attempt>;

export interface Attempt {
  /** The Authorization headers, one after the other. */
  readonly authorization: readonly string[];
  readonly cookie?: string;
  /** Added to the request's query. */
  readonly query?: string;
}

/** The key under which a token's session lives in the shared store. */
export function sessionKey(token: string): string {
  return `keelson:session:${(jwt.decode(token) as jwt.JwtPayload).jti}`;
}

/**
 * A token like that of the user's live session, signed as the program signs, which is good; the attempts are
 * not.
 */
export async function goodAndBadTokens(
  user: TestUser,
  another: TestUser,
): Promise<{ good: string; attempts: Attempts }> {
  const secret = readConfig().jwtSecrets[0];
  const { tid, jti = '' } = jwt.decode(user.token) as jwt.JwtPayload & { tid: string };
  const claims = { tid };
  // Of a live session: an attempt is refused for its own fault, not for want of a session.
  const standard = { issuer: 'keelson', audience: 'keelson-api', subject: user.pid, jwtid: jti, expiresIn: 600 };
  const { expiresIn: _expiresIn, ...withoutEnd } = standard;
  const good = jwt.sign(claims, secret, standard);
  const signed = (options: jwt.SignOptions): string => jwt.sign(claims, secret, { ...standard, ...options });
  const tokens: Record<string, string> = {
    'no token': '',
    garbage: 'garbage',
    'three empty parts': '..',
    'two tokens': `${good} ${good}`,
    'two tokens and a comma': `${good}, Bearer ${good}`,
    'a cut signature': good.slice(0, -3),
    'no signature': `${good.split('.').slice(0, 2).join('.')}.`,
    'algorithm none': withHeader(good, { alg: 'none', typ: 'JWT' }, ''),
    'algorithm NONE with the signature': withHeader(good, { alg: 'NONE' }),
    'algorithm RS256 over the secret': withHeader(good, { alg: 'RS256', typ: 'JWT' }),
    'no algorithm': withHeader(good, { typ: 'JWT' }),
    'a key in the header': withHeader(good, { alg: 'HS256', typ: 'JWT', jwk: { kty: 'oct', k: 'AAAA' } }),
    'another payload under the same signature': withPayload(good, { sub: another.pid }),
    HS512: signed({ algorithm: 'HS512' }),
    HS384: signed({ algorithm: 'HS384' }),
    'a foreign key': jwt.sign(claims, 'another-secret-of-32-characters!', standard),
    'RS256 with a key of its own': jwt.sign(claims, RSA_KEY, { ...standard, algorithm: 'RS256' }),
    'an expired token': signed({ expiresIn: -1 }),
    'a token of the future': signed({ notBefore: 60 }),
    'no end': jwt.sign(claims, secret, withoutEnd),
    'an end that is no number': resigned(good, { exp: 'never' }, secret),
    'a foreign issuer': signed({ issuer: 'elsewhere' }),
    'a foreign audience': signed({ audience: 'other-api' }),
    'no session id': signed({ jwtid: '' }),
    'no tenant': jwt.sign({}, secret, standard),
    "another user's session": signed({ subject: another.pid }),
    'an unknown session': signed({ jwtid: 'UNKNOWN' }),
    'a session that was revoked': await revoked(another),
    'a refresh token': `klr_${'0'.repeat(26)}_${'0'.repeat(64)}`,
    'an API key that nobody has': `kls_1x${'0'.repeat(12)}_${'0'.repeat(64)}`,
  };
  const attempts = new Map<string, Attempt>(
    Object.entries(tokens).map(([name, token]) => [name, { authorization: [`Bearer ${token}`] }]),
  );
  attempts.set('nothing', { authorization: [] });
  attempts.set('no scheme', { authorization: [good] });
  attempts.set('another scheme', { authorization: [`Basic ${good}`] });
  attempts.set('two headers, both good', { authorization: [`Bearer ${good}`, `Bearer ${good}`] });
  attempts.set('two headers, the first one good', { authorization: [`Bearer ${good}`, 'Bearer garbage'] });
  attempts.set('two headers, the second one good', { authorization: ['Bearer garbage', `Bearer ${good}`] });
  attempts.set('a token in the query', { authorization: [], query: `access_token=${good}&token=${good}` });
  attempts.set('a token in a cookie', {
    authorization: [],
    cookie: `token=${good}; jwt=${good}; Authorization=${good}`,
  });
  return { good, attempts };
}

/** A token that was good until its session was ended. */
async function revoked({ email }: TestUser): Promise<string> {
  const token = String((await call('/api/auth/login', { body: { email, password: PASSWORD } })).body.data.jwt);
  const { store } = await container();
  await store.pipeline([['del', sessionKey(token)]]);
  return token;
}

const RSA_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** A token with other claims, under a signature that is right. */
function resigned(token: string, changes: object, secret: string): string {
  const changed = withPayload(token, changes).split('.').slice(0, 2).join('.');
  return `${changed}.${createHmac('sha256', secret).update(changed).digest('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function withHeader(token: string, header: object, signature = token.split('.')[2]): string {
  return [encode(header), token.split('.')[1], signature].join('.');
}

function withPayload(token: string, changes: object): string {
  const [header, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  return [header, encode({ ...claims, ...changes }), signature].join('.');
}
