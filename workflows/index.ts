export { chat } from './chat.workflow.ts';
export { deliverWebhook } from './deliver-webhook.workflow.ts';
export { executeCommand } from './execute-command.workflow.ts';
export { fireAutomation } from './fire-automation.workflow.ts';
export { promotion } from './promotion.workflow.ts';
export { purgeWebhookLog } from './purge-webhook-log.workflow.ts';
export { recoverDeliveries } from './recover-deliveries.workflow.ts';
export { runAutomation } from './run-automation.workflow.ts';
