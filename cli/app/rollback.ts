import { pathBelow, PROMOTIONS, RESOURCES, withQuery } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import type { Connection } from '../connection.mjs';
import { environmentIds } from '../environments.mjs';
import { EXIT, Failure, Refused, UsageError } from '../outcome.mjs';
import type { Output } from '../output.mjs';
import { validateAndApply } from '../promotion-steps.mjs';
import { parseName, splitList } from '../resource-names.mjs';
import { isAgreed } from '../standard-input.mjs';
import { asLines, printableLine, tell } from '../terminal.mjs';
import { findApplication, nearestApplication, readApplication, type ApplicationFiles } from './application-files.ts';
import { nameOf, type Change, type Conflict } from './session.ts';
import { changeLines } from './show-plan.ts';
import { isSame } from './three-way.ts';

interface Stored {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly updatedAt: string;
}
interface Resource extends Stored {
  readonly content: object;
}
interface Version extends Stored {
  /** Null where it was removed. */
  readonly content: object | null;
}

/** What saving drafts would do. */
interface Planned {
  readonly planHash: string;
  readonly needsPromotion: boolean;
  readonly changes: readonly Change[];
  readonly conflicts: readonly Conflict[];
}

/** Takes a resource back to an earlier version within its environment: plans, shows, asks, and saves. */
export async function rollback(invocation: Invocation): Promise<number> {
  const { output, args, options } = invocation;
  const files = await filesOf(options.dir as string | undefined);
  const connection = invocation.connect(files?.manifest.url);
  const named = parseName(args[0] ?? '');
  const name = nameOf(named);
  const environment = (options.env as string | undefined) ?? files?.manifest.environment ?? 'dev';
  const headers = { 'x-environment': environment };
  const current = await presentOf(connection, named, environment);
  const versions = (await connection.get(pathBelow(RESOURCES, current.pid, 'versions'), headers)).data as Version[];
  const former = formerOf(versions, current, named.version);
  if (former.code !== current.code)
    throw new Failure(`${name} was called ${former.code} as version ${former.version}: rename it back in its file`);
  const resources = [{ resourceType: former.resourceType, code: former.code, content: former.content }];
  const plan = (await connection.post(`${RESOURCES}/plan`, { resources }, headers)).data as Planned;
  const { reason } = options as { reason?: string };
  if (plan.needsPromotion && !options['dry-run'] && reason === undefined)
    throw new UsageError(`${environment} changes only through promotion: --reason is required`);
  const what = `${name} in ${environment}: version ${current.version} -> what it was as version ${former.version}`;
  if (!options.json)
    await output.show(plan, () => asLines([`${what} (of ${former.updatedAt})`, ...changeLines(plan.changes)]));
  const allowed = splitList(options['allow-destructive'] as string[] | undefined);
  const refused = refusal(plan.conflicts, allowed);
  if (refused !== null || options['dry-run']) {
    if (options.json) await output.show(plan, () => '');
    return refused ?? EXIT.ok;
  }
  if (!(await isAgreed(`Roll back ${name} in ${environment}?`, options))) return EXIT.failure;
  if (plan.needsPromotion) {
    const application = { reason, ...(allowed.includes(name) && { consent: [former.pid] }) };
    return promoteBack(connection, output, environment, former, application);
  }
  const order = { resources, planHash: plan.planHash, consent: allowed, ...(reason !== undefined && { reason }) };
  const answer = await connection.post(`${RESOURCES}/save`, order, headers).catch((error: unknown) => {
    if (error instanceof Refused && error.code === 'STALE_PLAN')
      tell(
        `${environment} has changed since the plan was made. Next: keelson rollback ${printableLine(args[0] ?? '')}\n`,
      );
    throw error;
  });
  const data = answer.data as Planned;
  const saved = data.changes[0]?.sourceVersion ?? current.version;
  const isInFiles = files?.resources.some((one) => nameOf(one) === name);
  const hint = isInFiles ? [`Next: keelson pull ${name} takes it into its file`] : [];
  await output.show(data, () => asLines([`${name} is what it was, as version ${saved}`, ...hint]));
  return EXIT.ok;
}

/** @throws Failure */
async function presentOf(connection: Connection, named: { resourceType: string; code: string }, environment: string) {
  const { resourceType, code } = named;
  const path = withQuery(RESOURCES, { resourceType, code });
  const { records } = (await connection.get(path, { 'x-environment': environment })).data as { records: Resource[] };
  const [found] = records;
  if (!found) throw new Failure(`There is no ${nameOf(named)} in ${environment}`);
  return found;
}

/** The version that is asked for; the last one of another content unless one is. @throws Failure */
function formerOf(versions: readonly Version[], { content, version }: Resource, wanted: number | undefined): Resource {
  const had = versions.filter(
    (one, index): one is Resource =>
      one.content !== null && versions.findIndex(({ version: number }) => number === one.version) === index,
  );
  const found = had.find((one) => (wanted === undefined ? !isSame(one.content, content) : one.version === wanted));
  const numbers = had.map((one) => one.version).sort((a, b) => a - b);
  if (!found && wanted !== undefined) throw new Failure(`It has had no version ${wanted}, but ${numbers.join(', ')}`);
  if (!found) throw new Failure(`It has had no other content than that of version ${version}`);
  if (isSame(found.content, content)) throw new Failure(`It is what it was as version ${found.version}`);
  return found;
}

/** Reports what stands in the way. @returns the exit code; null for nothing */
function refusal(conflicts: readonly Conflict[], allowed: readonly string[]): number | null {
  const isOpen = (one: Conflict) => one.severity === 'consent' && !allowed.includes(nameOf(one));
  for (const one of conflicts) {
    const { severity, message, type, details } = one;
    const place = details?.path === undefined ? '' : ` (${details.path})`;
    if (severity !== 'consent' || isOpen(one))
      tell(
        `${printableLine(`${severity === 'warning' ? 'warning' : 'error'}: ${nameOf(one)}: ${message}${place} (${type})`)}\n`,
      );
    if (isOpen(one))
      tell(`Data would get out of reach. Consent to it: --allow-destructive ${printableLine(nameOf(one))}\n`);
  }
  if (conflicts.some(({ severity }) => severity === 'blocking')) return EXIT.conflicts;
  return conflicts.some(isOpen) ? EXIT.failure : null;
}

/** A promotion of the environment into itself, of the earlier version. */
async function promoteBack(
  connection: Connection,
  output: Output,
  environment: string,
  { resourceType, pid: resourcePid, version }: Resource,
  application: { readonly reason: string | undefined; readonly consent?: readonly string[] },
): Promise<number> {
  const [id] = await environmentIds(connection, [environment]);
  const body = { sourceEnvId: id, targetEnvId: id, units: [{ resourceType, resourcePid, version }] };
  const { pid } = (await connection.post(PROMOTIONS, body)).data as { pid: string };
  return validateAndApply(connection, output, pid, { validation: {}, application });
}

/** Those of the application that is named, or that the command is given in; null outside of one. */
async function filesOf(named: string | undefined): Promise<ApplicationFiles | null> {
  const directory = named === undefined ? nearestApplication() : findApplication(named);
  return directory === null ? null : readApplication(directory);
}
