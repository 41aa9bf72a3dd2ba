import type { PlatformOrm } from '../../foundation/database/orm.ts';
import type { Database } from '../../foundation/database/pool.ts';
import { notFound, throwIfInvalid } from '../../foundation/errors/application-error.ts';
import {
  ANYTHING,
  described,
  integer,
  list,
  MAP,
  nullable,
  object,
  oneOf,
  partial,
  text,
} from '../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import type { ResourceChecks } from '../../platform/metadata/changes/resource-checks.ts';
import { ADMIN_METADATA } from '../../platform/metadata/permissions/permission-codes.ts';
import { ResourceEntity } from '../../platform/metadata/resources/resource.entity.ts';
import { Snapshot } from '../../platform/metadata/snapshot/snapshot.ts';
import { COMMAND } from '../commands/definition/command-type.ts';
import { EXAMPLE_STATUSES, runExamples } from './run-examples.ts';

const RESULT = object({
  name: text(),
  status: oneOf(EXAMPLE_STATUSES),
  differences: list(object({ path: text(), expected: ANYTHING }, { actual: ANYTHING })),
  error: nullable(object({ code: text(), message: text(), data: nullable(MAP) })),
});

export function exampleEndpoints(
  orm: PlatformOrm,
  database: Database,
  resourceChecks: ResourceChecks,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/meta/commands/examples/:commandCode',
      access: [ADMIN_METADATA],
      tag: 'Commands',
      summary: 'Try the examples of a command',
      description:
        'Each is done and undone in a tenant that has nothing but the records it gives. With `content`, those of a COMMAND that is not saved.',
      body: partial({ content: described('The content of the COMMAND; by default as it is saved', MAP) }),
      data: object({
        commandCode: text(),
        passed: integer(0),
        failed: integer(0),
        skipped: integer(0),
        examples: list(RESULT),
      }),
      async handle({ actor: { metadata }, params: { commandCode }, body: { content } }) {
        const tried = content ? await draftIn(orm, resourceChecks, metadata, commandCode, content) : metadata;
        if (!tried.has(COMMAND.name, commandCode)) throw notFound(COMMAND.notFound);
        const examples = await runExamples(database, tried, commandCode);
        const count = (status: string) => examples.filter((each) => each.status === status).length;
        return { commandCode, passed: count('PASSED'), failed: count('FAILED'), skipped: count('SKIPPED'), examples };
      },
    }),
  ];
}

/** An environment as it would be with a command. @throws VALIDATION_ERROR */
async function draftIn(
  orm: PlatformOrm,
  resourceChecks: ResourceChecks,
  { environment, version }: Snapshot,
  code: string,
  content: object,
): Promise<Snapshot> {
  throwIfInvalid(resourceChecks.types.problemsOfContent(COMMAND.name, code, content));
  const draft = { resourceType: COMMAND.name, code, content };
  const saved = await orm.em.fork().find(ResourceEntity, { environment });
  const others = saved.filter((resource) => resource.resourceType !== COMMAND.name || resource.code !== code);
  const after = new Snapshot(environment, version, [...others, draft], resourceChecks.types);
  throwIfInvalid(await resourceChecks.problemsOf(after, [draft]));
  return after;
}
