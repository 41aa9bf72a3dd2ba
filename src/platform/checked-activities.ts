import type { Activities } from '../../workflows/contracts.ts';
import { ENVIRONMENTS } from '../foundation/config/environments.ts';
import { ApplicationError } from '../foundation/errors/application-error.ts';
import {
  BOOLEAN,
  integer,
  list,
  object,
  oneOf,
  partial,
  PID,
  textUpTo,
  type Schema,
} from '../foundation/validation/schema.ts';
import { validate } from '../foundation/validation/validate.ts';
import { toFailure } from '../../activities/failure.ts';

const PIDS = list(PID);
const IS_REPEATED = { isRepeated: BOOLEAN };
const DELIVERY = object({ deliveryPid: PID, subscriptionPid: PID });
const EXECUTION = { executionPid: PID };
const PROMOTION = object({ promotionPid: PID });
const RUN = { runPid: PID };
const MESSAGE = object({ messagePid: PID });
const ENVIRONMENT = { environment: oneOf(ENVIRONMENTS) };
/** Longest id of a workflow that Temporal takes. */
const WORKFLOW_ID = textUpTo(1_000);
const STEP_KEY = textUpTo(1_000);

/** What each activity takes. A person with access to Temporal can start a workflow with any argument. */
const INPUTS: { readonly [Name in keyof Activities]: Schema } = {
  applyCommand: object(EXECUTION, { groupPid: PID }),
  applyCommands: object({ groupPid: PID, executionPids: PIDS, ...IS_REPEATED }),
  applyBatch: object({ ...EXECUTION, ...IS_REPEATED }),
  startCommand: object(EXECUTION),
  handlePromotionRequest: object({ promotionPid: PID, requestPid: PID, due: BOOLEAN }),
  readPromotion: PROMOTION,
  expirePromotion: PROMOTION,
  watchPromotion: PROMOTION,
  attemptDelivery: DELIVERY,
  recoverBatch: object({ recoveryPid: PID }),
  purgeBatch: partial({}),
  advanceRun: object(RUN),
  runStep: object({ ...RUN, key: STEP_KEY, attempt: integer(0), timeoutMs: integer(0) }),
  fireAutomation: object({ ...ENVIRONMENT, automationCode: textUpTo(200), fireId: WORKFLOW_ID }),
  makeReply: MESSAGE,
  giveReplyUp: MESSAGE,
  buildNext: object(ENVIRONMENT),
  runImport: object({ importPid: PID }),
  sendResetMail: object({ userPid: PID }),
};

type Activity = (input: object) => Promise<unknown>;

/** Activities that refuse an input of another form, for good, and are given nothing else than they name. */
export function checkedActivities(activities: Activities): Activities {
  const checked = Object.entries(activities).map(([name, activity]) => [
    name,
    async (input: unknown) => (activity as Activity)(checkedInput(INPUTS[name as keyof Activities], input ?? {})),
  ]);
  return Object.fromEntries(checked) as Activities;
}

/** @throws ApplicationFailure VALIDATION_ERROR */
function checkedInput(schema: Schema, input: object): object {
  const { properties = {} } = schema as { properties?: object };
  const known = Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(properties, name)));
  const fieldErrors = validate(schema, known);
  if (Object.keys(fieldErrors).length > 0)
    throw toFailure(new ApplicationError('VALIDATION_ERROR', { data: { fieldErrors } }));
  return known;
}
