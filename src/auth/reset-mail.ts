import type { Mail } from '../mail/mail.ts';

/** The e-mail by which somebody chooses a password. A link has the token behind `#`, which browsers send to no server. */
export function resetMail(
  { email, username }: { email: string; username: string },
  token: string,
  publicUrl: string | null,
): Mail {
  const way =
    publicUrl === null
      ? `Your reset token is\n\n  ${token}\n\nSend it with the new password to /api/auth/password-reset/confirm.`
      : `Choose a new password here:\n\n  ${publicUrl.replace(/\/+$/, '')}/reset-password#${token}`;
  const text = [
    `Hello ${username},`,
    'somebody, probably you, asked to set your password.',
    way,
    'It works once, for 30 minutes. If it was not you, ignore this e-mail: your password stays as it is.',
  ];
  return { to: email, subject: 'Set your password', text: `${text.join('\n\n')}\n` };
}
