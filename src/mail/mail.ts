/** A plain-text e-mail to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends e-mails in the background: who asked for one learns neither whether it was sent nor how long it took. */
export interface Mailer {
  send(mail: Mail): void;
  /** Waits for what is on its way. */
  close(): Promise<void>;
}
