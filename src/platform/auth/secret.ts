import { createHash, randomBytes } from 'node:crypto';

/** What only its owner knows (a refresh token, a reset token, an API key): 256 random bits in hex. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** What is stored of a secret. 256 random bits cannot be guessed, so a fast hash is enough. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
