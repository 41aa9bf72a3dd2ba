/** Without a mail server, mails are shown to administrators: the newest of this many, for a day. */
export const MAX_OUTBOX_MAILS = 100;
export const OUTBOX_MAIL_SECONDS = 86_400;
/** A mail server that is silent costs no more than this. */
export const SMTP_TIMEOUT_MS = 10_000;
