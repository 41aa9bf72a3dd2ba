import { text } from '../../../../foundation/i18n/text.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** The resource names a secret that the target has not got. */
export const SECRET_MISSING: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['skip'],
  inResource({ source, types, input: { targetSecrets } }) {
    const missing = source ? types.secretsOf(source).filter((name) => !targetSecrets.has(name)) : [];
    return missing.map((name) => ({
      message: text('The target has no secret {name}', { name }),
      details: { secret: name },
    }));
  },
};
