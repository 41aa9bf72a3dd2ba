import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';

const derive = promisify(argon2);

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/**
 * Each hash takes 19 MiB and a core: more than two at once would let a burst of log-ins starve everything
 * else.
 */
const limit = pLimit(2);

/** Hashes made by this process so far; tests count with it. */
export const hashing = { count: 0 };

/** The PHC string of a new salt and the password's hash. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await argon2id(password, salt, MEMORY_KIB, PASSES, LANES);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(hash)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A hash that no password has: an unknown e-mail takes as long to answer as a known one. */
const DUMMY_HASH = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(Buffer.alloc(SALT_BYTES))}$${base64(Buffer.alloc(HASH_BYTES))}`;

/** Whether the password has this PHC string; null (no such user) costs the same time and is never right. */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const [, memory, passes, lanes, salt, hash] = PHC.exec(phc ?? DUMMY_HASH) ?? [];
  if (!salt || !hash) throw new Error('a stored password hash is not in the PHC form of argon2id');
  const expected = Buffer.from(hash, 'base64');
  const actual = await argon2id(password, Buffer.from(salt, 'base64'), Number(memory), Number(passes), Number(lanes));
  return timingSafeEqual(actual, expected) && phc !== null;
}

function argon2id(
  password: string,
  nonce: Buffer,
  memory: number,
  passes: number,
  parallelism: number,
): Promise<Buffer> {
  hashing.count += 1;
  return limit(() =>
    derive('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength: HASH_BYTES }),
  );
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
