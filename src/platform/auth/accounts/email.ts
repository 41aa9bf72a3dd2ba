import type { Message } from '../../../foundation/i18n/text.ts';
import { problemOfStorable } from '../../../foundation/validation/formats.ts';

const EMAIL = /^[^\s@"<>(),;:\\[\]]{1,64}@[^\s@"<>(),;:\\[\]]{1,255}$/;

export function problemOfEmail(given: string): Message | null {
  return EMAIL.test(given) && problemOfStorable(given) === null ? null : 'must be an e-mail';
}
