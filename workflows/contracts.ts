/**
 * What the world outside and the workflows agree on: names, ids and argument shapes. It imports nothing, so that both
 * Temporal's sandbox and the rest of the program can import it. Arguments carry ids only: histories are plain text.
 */

/** The workflow type that carries one command to its end. */
export const EXECUTE_COMMAND = 'executeCommand';

export interface ExecuteCommandInput {
  readonly executionPid: string;
}

export function commandWorkflowId(executionPid: string): string {
  return `command:${executionPid}`;
}

/** Search attributes, all of type Keyword, by which operators find workflows. */
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

/** The workflow type that accompanies one promotion from its creation to its end. */
export const PROMOTION = 'promotion';
/** The update by which a person's request reaches the promotion. Its answer is the promotion's row. */
export const PROMOTION_REQUEST = 'request';
/** The signal that somebody has approved. It proves nothing: the approval is a row. */
export const PROMOTION_APPROVED = 'approved';

export interface PromotionInput {
  readonly promotionPid: string;
  /** How long it waits to be applied. */
  readonly expiresMs: number;
  /** Requests that are carried out at once: those of a promotion that the program has made itself. */
  readonly requestPids?: readonly string[];
}

export interface PromotionRequestInput {
  readonly promotionPid: string;
  readonly requestPid: string;
  /** A scheduled apply has come due. */
  readonly due: boolean;
}

/** Where a promotion stands, as far as its workflow needs to know. */
export interface PromotionState {
  readonly status: string;
  /** When a scheduled apply is due, in milliseconds since 1970. */
  readonly applyAt: number | null;
  readonly applyRequestPid: string | null;
  /** An applied promotion that is watched: until when (milliseconds since 1970), and how often to look. */
  readonly soak?: { readonly until: number; readonly everyMs: number };
  /** What the watch has seen was bad: the inverse promotion, and what is asked of it. */
  readonly rollback?: PromotionInput & { readonly requestPids: readonly string[]; readonly targetEnv: string };
}

export function promotionWorkflowId(promotionPid: string): string {
  return `promotion:${promotionPid}`;
}

/** The workflow type that brings one event to one subscription. */
export const DELIVER_WEBHOOK = 'deliverWebhook';
/** The signal that something has changed: the delivery has got its turn, was resent, or has ended. It carries nothing. */
export const DELIVERY_CHANGED = 'changed';

export interface DeliverWebhookInput {
  readonly deliveryPid: string;
  /** Missing in workflows that were started before there were quick attempts; they make none. */
  readonly subscriptionPid?: string;
}

/** Where a delivery stands, and how long its workflow has nothing to do unless it is told otherwise. */
export interface DeliveryState {
  readonly status: string;
  readonly ended: boolean;
  readonly waitMs: number;
}

export function deliveryWorkflowId(deliveryPid: string): string {
  return `delivery:${deliveryPid}`;
}

/** The workflow type that sends a subscription's failed deliveries again. */
export const RECOVER_DELIVERIES = 'recoverDeliveries';

export interface RecoverDeliveriesInput {
  readonly recoveryPid: string;
}

export function recoveryWorkflowId(recoveryPid: string): string {
  return `recovery:${recoveryPid}`;
}

/** The workflow type that forgets what is older than it is kept. */
export const PURGE = 'purge';
/** What was in its place, and the id of its schedule: a node of an earlier version may have made it. */
export const PURGE_WEBHOOK_LOG = 'purgeWebhookLog';

/** Of the schedule that starts it; several installations may share a namespace. */
export function purgeScheduleId(taskQueue: string): string {
  return `${PURGE}:${taskQueue}`;
}

/** The workflow type that carries one run of an automation, whatever its steps are. */
export const RUN_AUTOMATION = 'runAutomation';
/** The signal that something has changed: an event has come, somebody has decided or cancelled. It carries nothing. */
export const RUN_CHANGED = 'changed';

export interface RunAutomationInput {
  readonly runPid: string;
}

/** A step to be done now. */
export interface StepCall {
  readonly key: string;
  readonly attempt: number;
  /** How long it may take, all in all. */
  readonly timeoutMs: number;
}

/** Where a run stands, what has to be done now, and how long there is nothing else to do unless it is told otherwise. */
export interface RunState {
  readonly status: string;
  readonly ended: boolean;
  readonly steps: readonly StepCall[];
  readonly waitMs: number;
}

export function runWorkflowId(runPid: string): string {
  return `automation:${runPid}`;
}

/** The workflow type that a schedule starts: it makes the runs of one automation, one per tenant. */
export const FIRE_AUTOMATION = 'fireAutomation';

export interface FireAutomationInput {
  readonly environment: string;
  readonly automationCode: string;
}

/** The workflow type that makes one answer of an assistant. */
export const CHAT = 'chat';
/** The signal that something has changed: a command was confirmed or declined, or the answer is to stop. It carries nothing. */
export const CHAT_CHANGED = 'changed';

export interface ChatInput {
  readonly messagePid: string;
}

/** Where an answer stands, and how long its workflow has nothing to do unless it is told otherwise. */
export interface ChatState {
  readonly status: string;
  readonly ended: boolean;
  readonly waitMs: number;
}

export function chatWorkflowId(messagePid: string): string {
  return `chat:${messagePid}`;
}

/** The workflow type that tries to send a password reset again. It knows for whom, and no token. */
export const RESET_MAIL = 'resetMail';

export interface ResetMailInput {
  readonly userPid: string;
  /** What the e-mail is written in; older ones have none. BCP 47. */
  readonly locale?: string;
}

export function resetMailWorkflowId(userPid: string): string {
  return `reset-mail:${userPid}`;
}

/** The activities that workflows call. */
export interface Activities {
  /** Applies an accepted command in one transaction. Idempotent by the execution's pid. */
  applyCommand(input: ExecuteCommandInput): Promise<void>;
  /** Carries out a request in one transaction. Idempotent by the request's pid. */
  handlePromotionRequest(input: PromotionRequestInput): Promise<PromotionState>;
  readPromotion(input: { promotionPid: string }): Promise<PromotionState>;
  expirePromotion(input: { promotionPid: string }): Promise<PromotionState>;
  /** Makes the delivery's next attempt, if it is due and has its turn. The row decides, however often this is called. */
  attemptDelivery(input: DeliverWebhookInput): Promise<DeliveryState>;
  /** The same within the workflow task that asks, for an endpoint known to be quick; null: it is not, ask `attemptDelivery`. */
  attemptQuickly(input: Required<DeliverWebhookInput>): Promise<DeliveryState | null>;
  /** Sends the next failed deliveries of a recovery again. False when there are none left. */
  recoverBatch(input: RecoverDeliveriesInput): Promise<boolean>;
  /** Deletes a batch of what is older than it is kept. False when there is nothing left. */
  purgeBatch(): Promise<boolean>;
  /** One look at an applied promotion that is watched. */
  watchPromotion(input: { promotionPid: string }): Promise<PromotionState>;
  /** Looks where a run stands, and takes every step that needs nobody else. The rows decide, however often this is called. */
  advanceRun(input: RunAutomationInput): Promise<RunState>;
  /** Makes one attempt of a step. Its outcome is in the step's row; one that is over is left as it is. */
  runStep(input: RunAutomationInput & StepCall): Promise<void>;
  /** Makes the runs that a schedule asks for. Idempotent by `fireId`. */
  fireAutomation(input: FireAutomationInput & { readonly fireId: string }): Promise<void>;
  /** Makes an answer, or goes on with it where another worker had to leave it, until it ends or has to wait. */
  makeReply(input: ChatInput): Promise<ChatState>;
  /** Ends an answer that could not be made. The row decides, however often this is called. */
  giveReplyUp(input: ChatInput): Promise<ChatState>;
  /** Makes a reset with a token of its own and sends it. Done again, it is another e-mail. */
  sendResetMail(input: ResetMailInput): Promise<void>;
}
