import { PROMOTIONS, promotionPath } from '../api-paths.mjs';
import { environmentIds, findResource, readDiff } from '../environments.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { checkSteps, namedIn, parseSteps, PROMOTE_OPTIONS, validateAndApply } from '../promotion-steps.mjs';
import { parseName, pidOf, splitList } from '../resource-names.mjs';
import { everyDifference, isEmpty, showDiff } from '../show-diff.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */
/** @typedef {import('../command-line.mjs').Invocation} Invocation */

/** @type {Command} */
export const create = {
  arguments: ['<source>', '<target>'],
  about: 'create a promotion and validate it; with --apply, apply it',
  example: 'keelson promotion create dev staging --app helpdesk --apply --reason release-7',
  options: {
    units: { type: 'string', multiple: true, about: 'what to promote: TYPE/code[@version], ...' },
    all: { type: 'boolean', about: 'every difference' },
    app: { type: 'string', about: 'every difference of this application' },
    ...PROMOTE_OPTIONS,
  },
  async run({ connection, output, args: [source = '', target = ''], options }) {
    checkSteps(options);
    const names = splitList(options.units).map(parseName);
    const { all, app } = options;
    if ([all, app, names.length > 0].filter(Boolean).length !== 1) {
      throw new UsageError('Set one of --units, --app and --all');
    }
    const diff = await readDiff(connection, source, target, app);
    if ((all || app) && isEmpty(diff)) {
      await output.show(null, () => showDiff(diff));
      return EXIT.ok;
    }
    const differences = everyDifference(diff);
    const where = `among the differences between ${source} and ${target}`;
    const units = all ? '*' : names.map((name) => unitOf(name, differences, where));
    const steps = parseSteps(options, differences, where);
    const [sourceEnvId, targetEnvId] = await environmentIds(connection, [source, target]);
    const chosen = app ? { app } : { units };
    const { data } = await connection.post(PROMOTIONS, { sourceEnvId, targetEnvId, ...chosen });
    return validateAndApply(connection, output, data.pid, steps);
  },
};

/** @type {Command} */
export const rollback = {
  arguments: ['[promotion]'],
  about: 'create the inverse of an applied promotion, or promote an earlier version, and continue like create',
  example: 'keelson promotion rollback 01J9ZQ4W7N5Z3V8Q2M6T0K1R4C --apply --reason errors',
  options: {
    resource: { type: 'string', about: 'instead of a promotion: the resource to roll back, TYPE/code' },
    'to-version': { type: 'string', about: 'the version to roll back to' },
    in: { type: 'string', about: 'the environment to roll back in' },
    from: { type: 'string', about: 'the environment that has had that version (that of --in)' },
    ...PROMOTE_OPTIONS,
  },
  run(invocation) {
    const { args, options } = invocation;
    checkSteps(options);
    const single = ['resource', 'to-version', 'in'].filter((name) => options[name] !== undefined);
    if (args.length === 1 && single.length === 0 && !options.from) return rollbackPromotion(invocation);
    if (args.length === 0 && single.length === 3) return rollbackResource(invocation);
    throw new UsageError('Name a promotion, or all of --resource, --to-version and --in');
  },
};

async function rollbackPromotion(/** @type {Invocation} */ { connection, output, args: [pid = ''], options }) {
  const { data: original } = await connection.get(promotionPath(pid));
  const steps = parseSteps(options, namedIn(original), `in the promotion ${pid}`);
  const { reason } = options;
  const { data } = await connection.post(promotionPath(pid, 'rollback'), { ...(reason && { reason }) });
  return validateAndApply(connection, output, data.pid, steps);
}

async function rollbackResource(/** @type {Invocation} */ { connection, output, options }) {
  const { in: target, from: source = target, resource, 'to-version': version } = options;
  const name = parseName(`${resource}@${version}`);
  const pid = await findResource(connection, name, [target, source]);
  const steps = parseSteps(options, [{ ...name, pid }], 'the resource to roll back');
  const [sourceEnvId, targetEnvId] = await environmentIds(connection, [source, target]);
  const units = [{ resourceType: name.resourceType, resourcePid: pid, version: name.version }];
  const { data } = await connection.post(PROMOTIONS, { sourceEnvId, targetEnvId, units });
  return validateAndApply(connection, output, data.pid, steps);
}

/**
 * @param {import('../resource-names.mjs').ResourceName} name
 * @param {readonly import('../resource-names.mjs').Named[]} differences
 * @param {string} where
 */
function unitOf({ resourceType, code, version }, differences, where) {
  const resourcePid = pidOf(`${resourceType}/${code}`, differences, where);
  return { resourceType, resourcePid, ...(version && { version }) };
}
