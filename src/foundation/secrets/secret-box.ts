import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  randomFillSync,
  type KeyObject,
} from 'node:crypto';
import { ApplicationError } from '../errors/application-error.ts';
import { text } from '../i18n/text.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const IV_BYTES = 12;

/**
 * Randomness for many IVs, each used once: to draw it is a call to the system, and each list seals a cursor.
 */
const drawn = Buffer.allocUnsafe(IV_BYTES * 256);
let used = drawn.length;

function newIv(): Buffer {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn.subarray(used, (used += IV_BYTES));
}

/**
 * A sealed text cannot be opened: its key is no longer in `SECRETS_KEY`, or it belongs to another context.
 * To be repeated only after a person has set the secret again, or has put the key back.
 */
export class SecretUnreadableError extends ApplicationError {
  /** Its name: never its text, sealed or open. */
  readonly secret: string;

  constructor(secret: string, reason: string) {
    super('CONFLICT', {
      message: text(
        'The stored secret {name} cannot be opened with SECRETS_KEY: set it again, or put back the key that sealed it',
        { name: secret },
      ),
      data: { reason: 'SECRET_UNREADABLE', secret },
      cause: new Error(reason),
    });
    this.secret = secret;
  }
}

interface Key {
  /** Names a key without revealing it. */
  readonly id: string;
  /** Ready for use: each list seals a cursor, and bytes would be made into a key each time. */
  readonly key: KeyObject;
}

/**
 * Encrypts secrets at rest with AES-256-GCM, under keys derived from `SECRETS_KEY`: the first one seals, all
 * open. A sealed text is bound to its context: copied to another row, it cannot be opened.
 */
export class SecretBox {
  readonly #newest: Key;
  readonly #keys: ReadonlyMap<string, Key>;

  constructor([newest, ...older]: readonly [string, ...string[]]) {
    this.#newest = keyOf(newest);
    this.#keys = new Map([...older.map(keyOf), this.#newest].map((key) => [key.id, key]));
  }

  /** @param context owner of the secret, such as `webhook:<pid>` */
  seal(plaintext: string, context: string): string {
    const { id, key } = this.#newest;
    const iv = newIv();
    const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    return [VERSION, id, iv, cipher.getAuthTag(), sealed]
      .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
      .join('.');
  }

  /**
   * @param name of the secret for people, where they do not know it by its context
   * @throws SecretUnreadableError
   */
  open(sealed: string, context: string, name = context): string {
    const [version, keyId = '', iv = '', tag = '', rest = ''] = sealed.split('.');
    if (version !== VERSION) throw new SecretUnreadableError(name, 'its form is unknown');
    const known = this.#keys.get(keyId);
    if (!known) throw new SecretUnreadableError(name, 'it was sealed under another SECRETS_KEY');
    try {
      const decipher = createDecipheriv(ALGORITHM, known.key, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(rest, 'base64url')), decipher.final()]).toString('utf8');
    } catch {
      throw new SecretUnreadableError(name, 'it was changed, or belongs to something else');
    }
  }

  /** The text sealed under the first key; itself where it already is. @throws SecretUnreadableError */
  reseal(sealed: string, context: string, name = context): string {
    const plaintext = this.open(sealed, context, name);
    return sealed.startsWith(`${VERSION}.${this.#newest.id}.`) ? sealed : this.seal(plaintext, context);
  }
}

function keyOf(secretsKey: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', secretsKey, '', 'keelson:secret-box', 32));
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), key: createSecretKey(bytes) };
}
