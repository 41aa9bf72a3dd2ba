import type { Language } from '../../../foundation/i18n/languages.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { asOneLine } from '../../../foundation/validation/formats.ts';
import type { Mail } from '../../mail/mail.ts';

/** The e-mail with a reset link. The token stands behind `#`, which browsers send to no server. */
export function resetMail(
  { email, username }: { email: string; username: string },
  token: string,
  publicUrl: string | null,
  { translate }: Language,
): Mail {
  const way =
    publicUrl === null
      ? [
          translate('Your reset token is'),
          `  ${token}`,
          translate('Send it with the new password to /api/auth/password-reset/confirm.'),
        ]
      : [translate('Choose a new password here:'), `  ${publicUrl.replace(/\/+$/, '')}/reset-password#${token}`];
  const paragraphs = [
    translate(text('Hello {username},', { username: asOneLine(username) })),
    translate('somebody, probably you, asked to set your password.'),
    ...way,
    translate('It works once, for 30 minutes. If it was not you, ignore this e-mail: your password stays as it is.'),
  ];
  return { to: email, subject: translate('Set your password'), text: `${paragraphs.join('\n\n')}\n` };
}
