import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApplication } from '../../cli/app/application-files.ts';
import { DEMO } from '../../scripts/database/load-application.ts';
import { newAjv, type ValidateFunction } from '../../src/foundation/validation/json-schema.ts';
import { fileSchemaOf } from '../../src/platform/metadata/resources/file-schema.ts';
import { newApplication } from '../support/application.ts';
import { resourceTypes } from '../support/resource-types.ts';

const ajv = newAjv();
const schemas = new Map(
  resourceTypes.names.map((name): [string, object] => {
    const type = resourceTypes.find(name);
    if (!type) throw new Error(name);
    return [name, fileSchemaOf(type, (of) => (of === 'MODEL' ? ['lead', 'deal'] : []))];
  }),
);
const compiled = new Map([...schemas].map(([name, schema]): [string, ValidateFunction] => [name, ajv.compile(schema)]));

describe('the schema of the files of a type', () => {
  it('stands alone and takes all files of the demo', async () => {
    for (const { resourceType, code, content, file } of (await readApplication(DEMO)).resources) {
      const matches = compiled.get(resourceType);
      expect([file, matches?.({ resourceType, code, content }), matches?.errors]).toEqual([file, true, null]);
    }
  });

  it('finds unknown keys and wrong codes', () => {
    const content = { name: 'A', modelCode: 'lead', columns: ['name'] };
    const page = { resourceType: 'PAGE_SCHEMA', code: 'a', content };
    const matches = compiled.get('PAGE_SCHEMA');
    expect(matches?.(page)).toBe(true);
    for (const wrong of [
      { code: 'A B' },
      { resourceType: 'MODEL' },
      { colour: 1 },
      { content: { ...content, b: 1 } },
    ]) {
      expect(matches?.({ ...page, ...wrong })).toBe(false);
    }
  });

  it('describes keys, and offers the codes that a reference may name', () => {
    expect(schemas.get('PAGE_SCHEMA')).toMatchObject({
      properties: {
        content: {
          properties: {
            columns: { description: expect.any(String) },
            modelCode: { description: 'The code of a MODEL', anyOf: [{ enum: ['deal', 'lead'] }, { type: 'string' }] },
          },
        },
      },
    });
  });

  it('is written by keelson init, and every file names its own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-schemas-'));
    const app = await newApplication(folder);
    for (const { path, resourceType } of (await readApplication(app)).resources) {
      const [, reference = ''] = /^# yaml-language-server: \$schema=(.*)\n/.exec(await readFile(path, 'utf8')) ?? [];
      const schema = JSON.parse(await readFile(join(path, '..', reference), 'utf8')) as { title: string };
      expect(schema.title).toBe(resourceType);
    }
    await rm(folder, { recursive: true });
  });
});
