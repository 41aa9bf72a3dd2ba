export { executeCommand } from './execute-command.workflow.ts';
export { promotion } from './promotion.workflow.ts';
