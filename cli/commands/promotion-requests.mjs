import { PROMOTIONS, promotionPath, withQuery, LARGEST_PAGE } from '../api-paths.mjs';
import { EXIT } from '../outcome.mjs';
import { table } from '../output.mjs';
import {
  APPLY_OPTIONS,
  namedIn,
  parseApplication,
  parseValidation,
  sendRequest,
  show,
  VALIDATION_OPTIONS,
} from '../promotion-steps.mjs';
import { exitCodeOfValidated } from '../show-promotion.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */

/** @type {Command} */
export const list = {
  arguments: [],
  about: 'list the promotions, newest first',
  example: 'keelson promotion list --status VALIDATED',
  options: {
    status: { type: 'string', about: 'only these: DRAFT, VALIDATED, APPLIED, ...' },
    limit: { type: 'string', upTo: LARGEST_PAGE, about: 'how many (20)' },
  },
  async run({ connection, output, options: { status, limit = '20' } }) {
    const { data } = await connection.get(withQuery(PROMOTIONS, { status, pageSize: limit }));
    const head = ['PID', 'STATUS', 'SOURCE', 'TARGET', 'CREATED', 'BY', 'REASON'];
    await output.show(data, () => table(head, data.records.map(row)));
    return EXIT.ok;
  },
};

function row(/** @type {any} */ { pid, status, sourceEnvId, targetEnvId, createdAt, createdByName, ...rest }) {
  return [pid, status, sourceEnvId ?? 'export', targetEnvId, createdAt, createdByName, rest.appliedReason];
}

/** @type {Command} */
export const showCommand = {
  arguments: ['<promotion>'],
  about: 'show a promotion with its plan, conflicts and approvals',
  example: 'keelson promotion show 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C',
  async run({ connection, output, args: [pid = ''] }) {
    await show(connection, output, (await connection.get(promotionPath(pid))).data);
    return EXIT.ok;
  },
};

/** @type {Command} */
export const validate = {
  arguments: ['<promotion>'],
  about: 'report all conflicts; without open ones, seal the plan',
  example: 'keelson promotion validate 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C --auto-include',
  options: VALIDATION_OPTIONS,
  async run({ connection, output, args: [pid = ''], options }) {
    const among = options.resolve ? namedIn((await connection.get(promotionPath(pid))).data) : [];
    const body = parseValidation(options, among, `in the promotion ${pid}`);
    const { data } = await connection.post(promotionPath(pid, 'validate'), body);
    await show(connection, output, data);
    return exitCodeOfValidated(data);
  },
};

/** @type {Command} */
export const apply = {
  arguments: ['<promotion>'],
  about: 'apply a validated promotion in one transaction',
  example: 'keelson promotion apply 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C --reason release-7',
  options: APPLY_OPTIONS,
  required: ['reason'],
  async run({ connection, output, args: [pid = ''], options }) {
    const among = options.consent ? namedIn((await connection.get(promotionPath(pid))).data) : [];
    await sendRequest(connection, output, pid, 'apply', parseApplication(options, among, `in the promotion ${pid}`));
    return EXIT.ok;
  },
};

export const approve = simpleRequest('approve', "approve another person's plan", 'comment');
export const reject = simpleRequest('reject', 'reject a promotion for good', 'reason', true);
export const cancel = simpleRequest('cancel', 'withdraw a promotion', 'reason');

/** @returns {Command} a request with one text */
function simpleRequest(
  /** @type {string} */ request,
  /** @type {string} */ about,
  /** @type {string} */ remark,
  isRequired = false,
) {
  return {
    arguments: ['<promotion>'],
    about,
    example: `keelson promotion ${request} 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C --${remark} checked`,
    options: { [remark]: { type: 'string', about: 'text for the audit trail' } },
    required: isRequired ? [remark] : [],
    async run({ connection, output, args: [pid = ''], options }) {
      const given = options[remark];
      await sendRequest(connection, output, pid, request, given === undefined ? {} : { [remark]: given });
      return EXIT.ok;
    },
  };
}
