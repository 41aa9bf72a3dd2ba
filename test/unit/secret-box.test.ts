import { SecretBox } from '../../src/foundation/secrets/secret-box.ts';

const box = new SecretBox('a key of thirty-two characters, or more');

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

    expect(() => box.open(sealed, 'webhook:2')).toThrow('belongs to something else');
  });

  it('does not open when a bit of it was changed', () => {
    const parts = box.seal('canary', 'webhook:1').split('.');
    const text = Buffer.from(parts[4] ?? '', 'base64url');
    text[0] = (text[0] ?? 0) ^ 1;

    expect(() => box.open([...parts.slice(0, 4), text.toString('base64url')].join('.'), 'webhook:1')).toThrow(
      'changed',
    );
  });

  it('says so when it was sealed under another key', () => {
    const other = new SecretBox('another key of thirty-two characters or more');

    expect(() => other.open(box.seal('canary', 'webhook:1'), 'webhook:1')).toThrow('another SECRETS_KEY');
  });

  it('says so when it is not one at all', () => {
    expect(() => box.open('plain', 'webhook:1')).toThrow('form is unknown');
  });
});
