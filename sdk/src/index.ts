export type { AnyApp, AppTypes, Condition, Operator, RecordOf, SortField } from './app-types.ts';
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
export { Page, type Choice, type Figures, type RecordList } from './pages.ts';
export type { Credentials, Session } from './session.ts';
export type { StreamEvent, StreamOptions } from './streams.ts';
export type { Answer, CallOptions, RequestOptions } from './transport.ts';
export { verifyWebhook, WebhookError, type VerifyOptions, type WebhookDelivery } from './webhooks.ts';
