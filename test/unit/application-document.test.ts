import { applicationDocumentOf } from '../../src/features/api-docs/application-document.ts';
import { MAX_DESCRIBED } from '../../src/features/api-docs/api-docs.limits.ts';
import { openApiDocument } from '../../src/features/api-docs/openapi-document.ts';
import { commandEndpoints } from '../../src/features/commands/commands.endpoints.ts';
import { recordEndpoints } from '../../src/features/records/records.endpoints.ts';
import { offlineResourceChecks } from '../../src/offline.ts';
import { actorOf } from '../../src/platform/auth/requests/actor.ts';
import type { EnvironmentResource } from '../../src/platform/metadata/resources/resource-type.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';

// What endpoints declare needs none of what they call.
const none = undefined as never;
const routes = [...recordEndpoints(none, none, none), ...commandEndpoints(none, none, none)];
const write = applicationDocumentOf(openApiDocument(routes, '1', { perMinute: () => 0, maxUploadBytes: 1 }));
const language = { locale: 'en', translate: String };

const field = { code: 'name', name: 'Name', type: 'string' };
const MODEL = { resourceType: 'MODEL', code: 'part', content: { name: 'Part', fields: [field] } };
const page = (number: number) => ({
  resourceType: 'PAGE_SCHEMA',
  code: `p${number}`,
  content: { name: 'Parts', modelCode: 'part', columns: ['name'] },
});
const pages = (count: number) => Array.from({ length: count }, (_, number) => page(number));

function documentOf(resources: readonly EnvironmentResource[]): Promise<string> {
  const snapshot = new Snapshot('dev', 1, resources, offlineResourceChecks().types);
  const identity = { userId: '1', userPid: 'P', username: 'u', tenantId: '1', roles: ['ADMIN'], keyMadeBy: null };
  return write(actorOf(identity, snapshot), language);
}

describe('the OpenAPI document of an application', () => {
  it('is the same whatever the order of the resources', async () => {
    const resources = [MODEL, ...pages(3)];

    expect(await documentOf(resources.toReversed())).toBe(await documentOf(resources));
  });

  it('ends where it would be too large', async () => {
    const largest = JSON.parse(await documentOf([MODEL, ...pages(MAX_DESCRIBED - 1)])) as { paths: object };
    expect(Object.keys(largest.paths).filter((path) => path.endsWith('/list'))).toHaveLength(MAX_DESCRIBED - 1);

    await expect(documentOf([MODEL, ...pages(MAX_DESCRIBED)])).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'LIMIT' },
    });
  });
});
