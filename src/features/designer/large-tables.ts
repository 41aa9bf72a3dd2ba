import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { conflict } from '../../foundation/errors/application-error.ts';
import { TableBuildEntity } from '../../platform/metadata/models/tables/table-build.entity.ts';
import type { ModelContent } from '../../platform/metadata/models/model-content.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { rewriteToConsentTo } from '../../platform/metadata/models/tables/table-rewrite.ts';
import { TableCatalog } from '../../platform/metadata/models/tables/table-catalog.ts';
import { isOfType } from '../../platform/metadata/resources/resource-type.ts';
import type { Resource } from '../../platform/metadata/resources/resource.entity.ts';

/** @throws CONFLICT (CONSENT_REQUIRED) if a large table would be rewritten */
export async function requireNoRewrite(
  em: PlatformEntityManager,
  environment: string,
  { resourceType, code }: { readonly resourceType: string; readonly code: string },
  content: object,
  before: object | undefined,
): Promise<void> {
  if (resourceType !== MODEL.name) return;
  const catalog = await TableCatalog.read(em, environment, [code]);
  const model = content as ModelContent;
  const existing = catalog.tableFor(environment, code, model, before as ModelContent | undefined);
  const rewrite = await rewriteToConsentTo(em, environment, code, model, existing);
  if (!rewrite) return;
  const { message, details } = rewrite;
  const resources = [{ resourceType, code, message, details }];
  throw conflict('CONSENT_REQUIRED', 'A large table would be out of use: save it with consent', { resources });
}

/** Rules of a saved model that hold only when their index has been built: path in the content -> why. */
export async function laterRules(em: PlatformEntityManager, resource: Resource): Promise<[string, string][]> {
  if (!isOfType(resource, MODEL)) return [];
  const { environment, code: modelCode, content } = resource;
  const open = {
    environment,
    modelCode,
    kind: 'UNIQUE_INDEX' as const,
    status: ['QUEUED' as const, 'BUILDING' as const],
  };
  const builds = await em.find(TableBuildEntity, open);
  const { fields } = content;
  return builds.map(({ fieldCode }) => [
    `content.fields.${fields.findIndex(({ code }) => code === fieldCode)}.unique`,
    'holds once its index has been built: the table is large',
  ]);
}
