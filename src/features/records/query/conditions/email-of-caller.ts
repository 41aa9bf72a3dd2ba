/** The e-mail of a caller: a stored identity has none, so that the statement looks it up. */
export class EmailOfCaller {
  readonly userPid: string;

  constructor(userPid: string) {
    this.userPid = userPid;
  }

  /** SQL expression, evaluated once; null for a program. @param add makes a parameter */
  sql(add: (value: unknown) => string): string {
    return `(select platform.email_of_user(${add(this.userPid)}))`;
  }
}
