export { executeCommand } from './execute-command.workflow.ts';
