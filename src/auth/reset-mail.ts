import type { Language } from '../i18n/languages.ts';
import type { Mail } from '../mail/mail.ts';

/** The e-mail by which somebody chooses a password. A link has the token behind `#`, which browsers send to no server. */
export function resetMail(
  { email, username }: { email: string; username: string },
  token: string,
  publicUrl: string | null,
  { say }: Language,
): Mail {
  const way =
    publicUrl === null
      ? [
          say('Your reset token is'),
          `  ${token}`,
          say('Send it with the new password to /api/auth/password-reset/confirm.'),
        ]
      : [say('Choose a new password here:'), `  ${publicUrl.replace(/\/+$/, '')}/reset-password#${token}`];
  const text = [
    say(`Hello ${username},`),
    say('somebody, probably you, asked to set your password.'),
    ...way,
    say('It works once, for 30 minutes. If it was not you, ignore this e-mail: your password stays as it is.'),
  ];
  return { to: email, subject: say('Set your password'), text: `${text.join('\n\n')}\n` };
}
