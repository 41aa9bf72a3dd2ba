import { activitySchema, COMMAND_CALL, toCommand } from './step-schema.ts';
import type { Static } from 'typebox';
import { ANYTHING } from '../../../foundation/expressions/value-origin.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { typesOfCommand } from '../../commands/definition/command-events.ts';
import { executeCommand } from './command-call.ts';
import type { ActivityStepKind } from './step-kind.ts';

const schema = activitySchema('command', COMMAND_CALL);

/** Executes a command. */
export const commandStep: ActivityStepKind<Static<typeof schema>> = {
  schema,
  defaultTimeoutSeconds: 60,
  references: ({ commandCode }) => toCommand('commandCode', commandCode),
  permissionsNeeded: ({ commandCode }) => [['commandCode', permissionCode.commandExecute(commandCode)]],
  outputType({ commandCode }, after) {
    const command = after.find(COMMAND, commandCode);
    return command ? typesOfCommand(command, after).result : 'any';
  },
  outputOrigin: ({ commandCode }, _originOf, metadata) => metadata.eventOriginsOf(commandCode)?.result ?? ANYTHING,
  execute: executeCommand,
};
