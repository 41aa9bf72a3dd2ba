import { MAX_NAME_LENGTH } from './files.limits.ts';

/**
 * Control and direction characters, parts of characters, and what is not seen. The joiners stay: scripts need
 * them.
 */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Characters that some system refuses in file names. */
const RESERVED = /[<>:"|?*/\\]/g;
const FALLBACK = 'file';

/** The name of an uploaded file as it is stored and shown: one line, no folders, at most 200 characters. */
export function cleanName(given: string): string {
  const name = given
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(RESERVED, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return name === '' ? FALLBACK : shortened(name);
}

/** Keeps the extension. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME_LENGTH) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return `${characters.slice(0, MAX_NAME_LENGTH - extension.length).join('')}${extension}`;
}
