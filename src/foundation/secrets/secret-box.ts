import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const IV_BYTES = 12;

/** A sealed text cannot be opened: `SECRETS_KEY` was replaced, or the text belongs to another context. */
class SecretUnreadableError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`a stored secret cannot be read: ${reason}`, { cause });
    this.name = 'SecretUnreadableError';
  }
}

/**
 * Encrypts secrets at rest with AES-256-GCM, under a key derived from `SECRETS_KEY`.
 * A sealed text is bound to its context: copied to another row, it cannot be opened.
 */
export class SecretBox {
  readonly #key: Buffer;
  /** Tells texts of another key from damaged ones, without revealing the key. */
  readonly #keyId: string;

  constructor(secretsKey: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'keelson:secret-box', 32));
    this.#keyId = createHash('sha256').update(this.#key).digest('hex').slice(0, 8);
  }

  /** @param context owner of the secret, such as `webhook:<pid>` */
  seal(plaintext: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    return [VERSION, this.#keyId, iv, cipher.getAuthTag(), sealed]
      .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
      .join('.');
  }

  /** @throws SecretUnreadableError */
  open(sealed: string, context: string): string {
    const [version, keyId, iv = '', tag = '', text = ''] = sealed.split('.');
    if (version !== VERSION) throw new SecretUnreadableError('its form is unknown');
    if (keyId !== this.#keyId) throw new SecretUnreadableError('it was sealed under another SECRETS_KEY');
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8');
    } catch (error) {
      throw new SecretUnreadableError('it was changed, or belongs to something else', error);
    }
  }
}
