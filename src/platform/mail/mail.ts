/** Plain-text e-mail to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** `refused`: for good. `postponed`: another attempt may succeed. */
export type MailOutcome = 'sent' | 'refused' | 'postponed';

/** Sends e-mails. Failures are logged without the text, which may contain a secret. */
export interface Mailer {
  /** Never throws. */
  send(mail: Mail): Promise<MailOutcome>;
  close(): Promise<void>;
}
