/**
 * Names, ids and argument types shared by the workflows and the program. Imports nothing, so that Temporal's
 * sandbox can import it. Arguments carry ids only, because histories are plain text.
 */

/** Workflow type that executes one command. */
export const EXECUTE_COMMAND = 'executeCommand';

export interface ExecuteCommandInput {
  readonly executionPid: string;
}

export function commandWorkflowId(executionPid: string): string {
  return `command:${executionPid}`;
}

/** Workflow type that executes the items of a batch, an execution with the id of its workflow. */
export const EXECUTE_BATCH = 'executeBatch';

/** Workflow type that executes the commands that waited for the same start. */
export const EXECUTE_COMMANDS = 'executeCommands';

export interface ExecuteCommandsInput {
  readonly groupPid: string;
  readonly executionPids: readonly string[];
}

export function commandGroupWorkflowId(groupPid: string): string {
  return `commands:${groupPid}`;
}

/** Search attributes for operators, of type Keyword. */
export const SEARCH_ATTRIBUTES = [
  'tenantId',
  'environment',
  'commandCode',
  'promotionPid',
  'promotionStatus',
  'targetEnv',
  'subscriptionPid',
  'eventType',
  'status',
] as const;

/** Search attributes of groups, of type KeywordList. Temporal on SQL has three per namespace. */
export const SEARCH_ATTRIBUTE_LISTS = ['tenantIds', 'commandCodes'] as const;

/** Workflow type that accompanies one promotion from its creation to its end. */
export const PROMOTION = 'promotion';
/** Update that hands a request to the promotion. */
export const PROMOTION_REQUEST = 'request';
/** Signal after an approval. It proves nothing: the approval is a row. */
export const PROMOTION_APPROVED = 'approved';

export interface PromotionInput {
  readonly promotionPid: string;
  /** Time until the row is asked whether it has expired. */
  readonly expiresMs: number;
  /** Requests to handle at once, for a promotion that the program has made itself. */
  readonly requestPids?: readonly string[];
}

export interface PromotionRequestInput {
  readonly promotionPid: string;
  readonly requestPid: string;
  /** Whether this is a scheduled apply at its due time. */
  readonly due: boolean;
}

/** State of a promotion for its workflow. */
export interface PromotionState {
  readonly status: string;
  /** Due time of a scheduled apply, in milliseconds since 1970. */
  readonly applyAt: number | null;
  readonly applyRequestPid: string | null;
  /** When it expires unless it has ended, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** End of the soak (milliseconds since 1970), and the interval of its checks. */
  readonly soak?: { readonly until: number; readonly everyMs: number };
  /** Inverse promotion after a failed check, and the requests for it. */
  readonly rollback?: PromotionInput & { readonly requestPids: readonly string[]; readonly targetEnv: string };
}

export function promotionWorkflowId(promotionPid: string): string {
  return `promotion:${promotionPid}`;
}

/** Workflow type that goes on with a delivery which needs more than one attempt. */
export const DELIVER_WEBHOOK = 'deliverWebhook';
/** Signal after a change of the row: the delivery has a slot, was resent, or has ended. */
export const DELIVERY_CHANGED = 'changed';

export interface DeliverWebhookInput {
  readonly deliveryPid: string;
  readonly subscriptionPid: string;
  /** Sleeps first: the first attempt has failed. */
  readonly waitMs?: number;
}

/** State of a delivery, and how long its workflow sleeps unless it is signalled. */
export interface DeliveryState {
  readonly status: string;
  readonly ended: boolean;
  readonly waitMs: number;
}

export function deliveryWorkflowId(deliveryPid: string): string {
  return `delivery:${deliveryPid}`;
}

/** Workflow type that sends a subscription's failed deliveries again. */
export const RECOVER_DELIVERIES = 'recoverDeliveries';

export interface RecoverDeliveriesInput {
  readonly recoveryPid: string;
}

export function recoveryWorkflowId(recoveryPid: string): string {
  return `recovery:${recoveryPid}`;
}

/** Workflow type that deletes expired rows. */
export const PURGE = 'purge';

/** Includes the task queue, because several installations may share a namespace. */
export function purgeScheduleId(taskQueue: string): string {
  return `${PURGE}:${taskQueue}`;
}

/** Workflow type that executes one run of any automation. */
export const RUN_AUTOMATION = 'runAutomation';
/** Signal after a change of the rows: an awaited event, an approval, a cancellation. */
export const RUN_CHANGED = 'changed';

export interface RunAutomationInput {
  readonly runPid: string;
}

/** Step to execute now. */
export interface StepCall {
  readonly key: string;
  readonly attempt: number;
  readonly timeoutMs: number;
}

/** State of a run, the steps to execute now, and how long its workflow sleeps unless it is signalled. */
export interface RunState {
  readonly status: string;
  readonly ended: boolean;
  readonly steps: readonly StepCall[];
  readonly waitMs: number;
}

export function runWorkflowId(runPid: string): string {
  return `automation:${runPid}`;
}

/** Workflow type of schedules: starts the runs of one automation, one per tenant. */
export const FIRE_AUTOMATION = 'fireAutomation';

export interface FireAutomationInput {
  readonly environment: string;
  readonly automationCode: string;
}

/** Workflow type that makes one reply of an assistant. */
export const CHAT = 'chat';
/** Signal after a change of the rows: a command was confirmed or declined, or the reply is to stop. */
export const CHAT_CHANGED = 'changed';

export interface ChatInput {
  readonly messagePid: string;
}

/** State of a reply, and how long its workflow sleeps unless it is signalled. */
export interface ChatState {
  readonly status: string;
  readonly ended: boolean;
  readonly waitMs: number;
}

export function chatWorkflowId(messagePid: string): string {
  return `chat:${messagePid}`;
}

/** Workflow type that retries the e-mail of a password reset. It knows the user and no token. */
export const RESET_MAIL = 'resetMail';

export interface ResetMailInput {
  readonly userPid: string;
}

export function resetMailWorkflowId(userPid: string): string {
  return `reset-mail:${userPid}`;
}

/** Workflow type that builds indexes and constraints of large tables. */
export const BUILD_TABLES = 'buildTables';

export interface BuildTablesInput {
  readonly environment: string;
}

/** Includes the task queue, because several installations may share a namespace. */
export function buildTablesWorkflowId(environment: string, taskQueue: string): string {
  return `builds:${environment}:${taskQueue}`;
}

/** Workflow type that imports a file into records. */
export const IMPORT_RECORDS = 'importRecords';

export interface ImportRecordsInput {
  readonly importPid: string;
}

export function importWorkflowId(importPid: string): string {
  return `import:${importPid}`;
}

/** Activities that workflows call. Repeating one is safe, because the rows decide what is left to do. */
export interface Activities {
  /** Applies an accepted command in one transaction. Idempotent by the execution's pid. */
  applyCommand(input: ExecuteCommandInput & { readonly groupPid?: string }): Promise<void>;
  /**
   * Applies the commands of a group side by side, each in its own transaction. Fails for none of them.
   * @returns those that a transient fault has put off
   */
  applyCommands(
    input: ExecuteCommandsInput & { readonly isRepeated: boolean },
  ): Promise<{ readonly again: readonly string[] }>;
  /**
   * Applies the items of a batch: all in one transaction, or each in its own. Idempotent by the batch's pid.
   * Fails as an item of an atomic batch; of another one only by a transient fault.
   */
  applyBatch(input: ExecuteCommandInput & { readonly isRepeated: boolean }): Promise<void>;
  /** Gives an unfinished command a workflow of its own. */
  startCommand(input: ExecuteCommandInput): Promise<void>;
  /** Handles a request in one transaction. Idempotent by the request's pid. */
  handlePromotionRequest(input: PromotionRequestInput): Promise<PromotionState>;
  readPromotion(input: { promotionPid: string }): Promise<PromotionState>;
  expirePromotion(input: { promotionPid: string }): Promise<PromotionState>;
  /** Makes the delivery's next attempt, if it is due and has a slot. */
  attemptDelivery(input: DeliverWebhookInput): Promise<DeliveryState>;
  /** Sends the next failed deliveries of a recovery again. @returns false when none is left */
  recoverBatch(input: RecoverDeliveriesInput): Promise<boolean>;
  /** Deletes a batch of expired rows. @returns false when none is left */
  purgeBatch(): Promise<boolean>;
  /** Makes one check of a soak. */
  watchPromotion(input: { promotionPid: string }): Promise<PromotionState>;
  /** Reads the state of a run, and takes every step without outside effects. */
  advanceRun(input: RunAutomationInput): Promise<RunState>;
  /** Makes one attempt of a step. The outcome is in the step's row; an ended step is left as it is. */
  runStep(input: RunAutomationInput & StepCall): Promise<void>;
  /** Starts the runs of a schedule. Idempotent by `fireId`. */
  fireAutomation(input: FireAutomationInput & { readonly fireId: string }): Promise<void>;
  /** Makes or resumes a reply, until it ends or has to wait. */
  makeReply(input: ChatInput): Promise<ChatState>;
  /** Ends a reply that could not be made. */
  giveReplyUp(input: ChatInput): Promise<ChatState>;
  /** Builds what has been queued for longest. @returns false when nothing is queued */
  buildNext(input: BuildTablesInput): Promise<boolean>;
  /** Goes on with an import until it has ended. @returns false when the worker has no room for it now */
  runImport(input: ImportRecordsInput): Promise<boolean>;
  /** Makes a reset token and sends it. A repeat sends another e-mail. */
  sendResetMail(input: ResetMailInput): Promise<void>;
}
