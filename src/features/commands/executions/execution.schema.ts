import {
  ANYTHING,
  described,
  list,
  MAP,
  mapOf,
  named,
  nullable,
  object,
  oneOf,
  PID,
  text,
  TIME,
} from '../../../foundation/validation/schema.ts';
import { ERROR_CATALOGUE } from '../../../foundation/errors/catalogue.ts';
import { CHANGE_ACTIONS } from '../../../platform/events/changes/change.entity.ts';
import { OPERATIONS } from '../definition/command-content.ts';
import { BATCH, EXECUTION_STATUSES } from './execution.entity.ts';

export const EXECUTION_STATUS = oneOf(EXECUTION_STATUSES);
const ERROR_CODE = oneOf(Object.keys(ERROR_CATALOGUE));

const STATE = {
  pid: PID,
  commandCode: text(),
  status: EXECUTION_STATUS,
  startedAt: TIME,
  finishedAt: nullable(TIME),
  workflowId: text(),
  batchPid: nullable(described('The batch that it is an item of; of a batch its own pid', PID)),
};

const OWN_STATE = {
  ...STATE,
  error: nullable(object({ code: ERROR_CODE, message: text(), data: nullable(MAP) })),
  result: ANYTHING,
};
export const EXECUTION = named('Execution', object(OWN_STATE));

/** What a command has done to a record. */
export const CHANGE = object({
  modelCode: text(),
  recordPid: PID,
  action: oneOf(CHANGE_ACTIONS),
  changes: mapOf(object({ from: ANYTHING, to: ANYTHING })),
});

export const EXECUTION_DETAILS = named(
  'ExecutionDetails',
  object({
    ...OWN_STATE,
    traceId: text(),
    changes: list(CHANGE),
    events: list(object({ pid: PID, eventType: text() })),
  }),
);

/** An execution as those see it who did not send it, too. */
export const LISTED = {
  ...STATE,
  operation: oneOf([...OPERATIONS, BATCH]),
  targetRecordId: nullable(PID),
  userPid: PID,
  username: text(),
  error: nullable(object({ code: ERROR_CODE, message: text() })),
  traceId: text(),
};
