export type { AnyApp, AppTypes, Condition, Filter, Operator, RecordOf, SortField } from './app-types.ts';
export { Automation, Run, type RunEvent, type RunState, type RunStep, type WaitingApproval } from './automations.ts';
export { Client, createClient, type ClientOptions } from './client.ts';
export { Execution, type Command, type CommandOptions, type DryRun, type ExecutionState } from './commands.ts';
export {
  ConflictError,
  ForbiddenError,
  KeelsonError,
  NetworkError,
  NotFoundError,
  PreconditionError,
  RateLimitError,
  UnauthorizedError,
  UnavailableError,
  ValidationError,
} from './errors.ts';
export type { Figures } from './figures.ts';
export { Files, type StoredFile } from './files.ts';
export { Import, type ImportOptions, type ImportProblem, type ImportState } from './imports.ts';
export { Page, type Choice, type RecordList, type View, type ViewContent } from './pages.ts';
export type { Credentials, Session } from './session.ts';
export type { StreamEvent, StreamOptions } from './streams.ts';
export type { Answer, CallOptions, RequestOptions } from './transport.ts';
export { verifyWebhook, WebhookError, type VerifyOptions, type WebhookDelivery } from './webhooks.ts';
