import type { Static } from 'typebox';
import { ANYTHING } from '../../../foundation/expressions/value-sources.ts';
import { COMMAND } from '../../commands/command-type.ts';
import { typesOfCommand } from '../../commands/definition/command-events.ts';
import { executeCommand } from './command-call.ts';
import type { ActivityStepKind } from './step-kind.ts';
import { toCommand } from './step-references.ts';
import { activitySchema, COMMAND_CALL } from './step-schema.ts';

const schema = activitySchema('command', COMMAND_CALL);

/** Executes a command. */
export const commandStep: ActivityStepKind<Static<typeof schema>> = {
  schema,
  defaultTimeoutSeconds: 60,
  references: ({ commandCode }) => toCommand('commandCode', commandCode),
  outputType({ commandCode }, after) {
    const command = after.find(COMMAND, commandCode);
    return command ? typesOfCommand(command, after).result : 'any';
  },
  outputSources: ({ commandCode }, _sourcesOf, metadata) => metadata.eventSourcesOf(commandCode)?.result ?? ANYTHING,
  execute: executeCommand,
};
