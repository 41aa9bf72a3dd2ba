/** What a resource becomes in an environment; `content` null means that it leaves the environment. */
export interface ResourceChange {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly content: object | null;
}
