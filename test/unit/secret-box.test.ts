import { toStoredError } from '../../src/foundation/errors/failure.ts';
import { SecretBox, SecretUnreadableError } from '../../src/foundation/secrets/secret-box.ts';

const KEY = 'a key of thirty-two characters, or more';
const NEWER = 'another key of thirty-two characters or more';
const box = new SecretBox([KEY]);

/** Why a text cannot be opened. */
function reasonOf(open: () => unknown): unknown {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof SecretUnreadableError)) throw error;
    return (error.cause as Error).message;
  }
}

describe('a sealed secret', () => {
  it('opens again in its own context', () => {
    expect(box.open(box.seal('whsec_ü', 'webhook:1'), 'webhook:1')).toBe('whsec_ü');
  });

  it('is another text each time, and holds nothing of the secret', () => {
    const [one, two] = [box.seal('canary', 'webhook:1'), box.seal('canary', 'webhook:1')];

    expect(one).not.toBe(two);
    expect(Buffer.from(one, 'base64url').toString()).not.toContain('canary');
  });

  it('does not open for another owner', () => {
    const sealed = box.seal('canary', 'webhook:1');

    expect(reasonOf(() => box.open(sealed, 'webhook:2'))).toContain('belongs to something else');
  });

  it('does not open when a bit of it was changed', () => {
    const parts = box.seal('canary', 'webhook:1').split('.');
    const text = Buffer.from(parts[4] ?? '', 'base64url');
    text[0] = (text[0] ?? 0) ^ 1;

    const changed = [...parts.slice(0, 4), text.toString('base64url')].join('.');
    expect(reasonOf(() => box.open(changed, 'webhook:1'))).toContain('changed');
  });

  it('says so when it was sealed under another key', () => {
    const other = new SecretBox([NEWER]);

    expect(reasonOf(() => other.open(box.seal('canary', 'webhook:1'), 'webhook:1'))).toContain('another SECRETS_KEY');
  });

  it('says so when it is not one at all', () => {
    expect(reasonOf(() => box.open('plain', 'webhook:1'))).toContain('form is unknown');
  });

  it('is named when it cannot be opened, and nothing of it or of a key is told', () => {
    const sealed = box.seal('canary', 'webhook:1');
    let thrown: unknown;
    try {
      new SecretBox([NEWER]).open(sealed, 'webhook:1');
    } catch (error) {
      thrown = error;
    }

    const stored = toStoredError(thrown as SecretUnreadableError);
    expect(stored).toMatchObject({ code: 'CONFLICT', data: { reason: 'SECRET_UNREADABLE', secret: 'webhook:1' } });
    expect(String(thrown)).toContain('webhook:1');
    for (const hidden of ['canary', sealed, ...sealed.split('.').slice(1), KEY, NEWER]) {
      expect(JSON.stringify(stored)).not.toContain(hidden);
    }
  });
});

describe('a box with several keys', () => {
  const both = new SecretBox([NEWER, KEY]);

  it('opens what any of them has sealed, and seals under the first one', () => {
    expect(both.open(box.seal('old', 'webhook:1'), 'webhook:1')).toBe('old');
    expect(new SecretBox([NEWER]).open(both.seal('new', 'webhook:1'), 'webhook:1')).toBe('new');
    expect(reasonOf(() => box.open(both.seal('new', 'webhook:1'), 'webhook:1'))).toContain('another SECRETS_KEY');
  });

  it('seals again what is not under the first one, and leaves the rest as it is', () => {
    const again = both.reseal(box.seal('old', 'webhook:1'), 'webhook:1');

    expect(new SecretBox([NEWER]).open(again, 'webhook:1')).toBe('old');
    expect(both.reseal(again, 'webhook:1')).toBe(again);
    expect(reasonOf(() => box.reseal(again, 'webhook:1'))).toContain('another SECRETS_KEY');
  });
});
