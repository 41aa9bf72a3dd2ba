import type { PlatformOrm } from '../../foundation/database/orm.ts';
import { notFound, validationError, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { text, type Message } from '../../foundation/i18n/text.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { ResourceChecks } from '../../platform/metadata/changes/resource-checks.ts';
import { EnvironmentEntity } from '../../platform/metadata/environments/environment.entity.ts';
import { isDesignable } from '../../platform/metadata/environments/write-policy.ts';
import type { Snapshot } from '../../platform/metadata/snapshot/snapshot.ts';
import { DATASOURCE } from './datasource-type.ts';
import type { Column, RowsRequest, RowsParts } from './rows.ts';
import { kindOf, type DataSourceContent } from './kinds/kinds.ts';
import type { DataSources } from './datasources.service.ts';
import { originOf, secretsOf, type RestSource } from './rest/rest-content.ts';

/** Code under which unsaved content is checked. */
const UNSAVED = 'unsaved';

/** The rows of an unsaved data source, for its author. */
interface Trial {
  readonly rows: object[];
  readonly columns: readonly Column[];
  readonly warnings: readonly { readonly path: string; readonly message: Message }[];
  readonly durationMs: number;
}

/** Runs data sources that are not saved, for their authors. */
export class DataSourceTester {
  readonly #dataSources: DataSources;
  readonly #rowsParts: RowsParts;
  readonly #orm: PlatformOrm;
  readonly #resourceChecks: ResourceChecks;

  /** @param rowsParts without a cache: an author sees what the service answers now */
  constructor(dataSources: DataSources, rowsParts: RowsParts, orm: PlatformOrm, resourceChecks: ResourceChecks) {
    this.#dataSources = dataSources;
    this.#rowsParts = rowsParts;
    this.#orm = orm;
    this.#resourceChecks = resourceChecks;
  }

  /**
   * Checks content as a save would.
   * @param errors collects the problems
   */
  async check(content: object, metadata: Snapshot, errors: FieldErrors): Promise<void> {
    const draft = { resourceType: DATASOURCE.name, code: UNSAVED, content };
    Object.assign(errors, await this.#resourceChecks.problemsOfDraft(metadata, draft));
  }

  /**
   * Notes the trial in the audit trail, and answers the rows of checked content as the actor may see them.
   * @throws VALIDATION_ERROR for a service or secret that no saved data source uses; as `DataSources.rows`
   */
  async test(given: object, request: RowsRequest): Promise<Trial> {
    const { actor } = request;
    const content = given as DataSourceContent;
    if (content.kind === 'rest') requireKnownSecrets(content, actor.metadata);
    await this.#audit(content, actor);
    const startedAt = performance.now();
    const { rows } = await this.#dataSources.rowsOf(content, request, this.#rowsParts);
    const durationMs = Math.round(performance.now() - startedAt);
    const resource = { resourceType: DATASOURCE.name, code: UNSAVED, content };
    const warnings = Object.entries(this.#resourceChecks.types.warningsOf(resource));
    return {
      rows,
      columns: (await kindOf(content).columns?.(content, actor, this.#rowsParts)) ?? columnsIn(rows),
      warnings: warnings.map(([path, message]) => ({ path, message })),
      durationMs,
    };
  }

  /** @throws VALIDATION_ERROR where designers may not save, for a service that no saved data source calls */
  async #audit(content: DataSourceContent, actor: Actor): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const { environment: code } = actor.metadata;
      const environment = await em.findOne(EnvironmentEntity, { code });
      if (!environment) throw notFound('There is no such environment');
      const mayCall =
        content.kind !== 'rest' || isDesignable(environment) || siblingsOf(content, actor.metadata).length > 0;
      if (!mayCall) {
        const problem = text('no saved data source calls {origin}', { origin: originOf(content) });
        throw validationError({ 'content.url': problem });
      }
      const { rows: _rows, ...audited } = { rows: undefined, ...content };
      await appendAudit(em, {
        actor,
        action: 'datasource.test',
        targetType: 'environment',
        targetPid: environment.pid,
        environment: code,
        after: { content: audited },
      });
    });
  }
}

/** The saved sources that call the same origin. */
function siblingsOf(content: RestSource, metadata: Snapshot): RestSource[] {
  const origin = originOf(content);
  return [...metadata.all(DATASOURCE).values()].filter(
    (source): source is RestSource => source.kind === 'rest' && originOf(source) === origin,
  );
}

/** A secret goes where a saved source sends it already, and nowhere else. @throws VALIDATION_ERROR */
function requireKnownSecrets(content: RestSource, metadata: Snapshot): void {
  const known = new Set(siblingsOf(content, metadata).flatMap(secretsOf));
  const stray = secretsOf(content).find((name) => !known.has(name));
  if (stray === undefined) return;
  const values = { secret: stray, origin: originOf(content) };
  throw validationError({ 'content.url': text('no saved data source sends the secret {secret} to {origin}', values) });
}

function columnsIn(rows: readonly object[]): Column[] {
  return [...new Set(rows.flatMap(Object.keys))].map((name) => ({ name, type: null }));
}
