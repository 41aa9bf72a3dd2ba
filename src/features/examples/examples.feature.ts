import type { Foundation } from '../../foundation/foundation.ts';
import type { CheckingParts } from '../../platform/feature.ts';
import type { Platform } from '../../platform/platform.ts';
import { exampleEndpoints } from './examples.endpoints.ts';
import type { Database } from '../../foundation/database/pool.ts';
import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import type { ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { Snapshot } from '../../platform/metadata/snapshot/snapshot.ts';
import type { CommandContent } from '../commands/definition/command-content.ts';
import { COMMAND } from '../commands/definition/command-type.ts';
import { runExamples } from './run-examples.ts';

/** Examples of commands: tests that a designer, `keelson test` and promotions run. */
export const examples = {
  resourceTypes: ({ database }: CheckingParts) => [commandType(database)],

  create: ({ orm, database }: Foundation, { resourceChecks }: Platform) => ({
    endpoints: exampleEndpoints(orm, database, resourceChecks),
  }),
};

const MAX_SHOWN = 200;

/**
 * The type of commands, with examples that can be tried.
 * @param database null: they cannot, as in checks of files
 */
function commandType(database: Database | null): ResourceType<CommandContent, CommandContent> {
  if (!database) return COMMAND;
  return {
    ...COMMAND,
    async failingExamples({ code, content }, after, until) {
      if (!content.examples || !(after instanceof Snapshot)) return {};
      const problems: FieldErrors = {};
      for (const [index, { name, status, differences }] of (
        await runExamples(database, after, code, until)
      ).entries()) {
        const [first] = differences;
        if (status !== 'FAILED' || !first) continue;
        const values = { name, path: first.path, expected: shown(first.expected), actual: shown(first.actual) };
        problems[`content.examples.${index}`] = text('{name}: {path} is {actual}, not {expected}', values);
      }
      return problems;
    },
  };
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'absent';
  return json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)} ...` : json;
}
