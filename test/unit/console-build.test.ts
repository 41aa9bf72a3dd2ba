import { completeYaml } from '../../web/src/parts/build/complete-yaml.ts';
import { fieldsOfRows, rowsOfCsv } from '../../web/src/parts/build/csv-fields.ts';
import type { JsonSchema } from '../../web/src/parts/build/json-schema.ts';
import { grantedBy } from '../../web/src/parts/build/role-codes.ts';
import { verdicts } from '../../web/src/parts/build/why.ts';
import { editYaml, moveItem, readYaml, writeYaml } from '../../web/src/parts/build/yaml-text.ts';
import { tokensOf } from '../../web/src/parts/build/yaml-tokens.ts';
import { fileSchemaOf } from '../../src/platform/metadata/resources/file-schema.ts';
import { MODEL } from '../../src/platform/metadata/models/model-type.ts';

const file = fileSchemaOf(MODEL, (type) => (type === 'MODEL' ? ['lead', 'deal'] : [])) as JsonSchema;
const schema: JsonSchema = { ...file.properties?.content, $defs: file.$defs ?? {} };

/** What is offered at `|`, by name. */
function offersAt(marked: string): string[] {
  const offset = marked.indexOf('|');
  const found = completeYaml(marked.replace('|', ''), offset, schema);
  return found?.offers.map(({ name }) => name) ?? [];
}

describe('the text of a resource', () => {
  const TEXT = `# What is sold
name: Deal
fields:
  # The title
  - { code: name, name: Name, type: string }
  - code: amount
    name: Amount
    type: decimal
`;

  it('says where each place of its content is', () => {
    const { lineOf, content } = readYaml(TEXT);

    expect(content).toMatchObject({ name: 'Deal', fields: [{ code: 'name' }, { code: 'amount' }] });
    const paths = [['name'], ['fields', '0', 'type'], ['fields', '1', 'type'], ['fields', '1', 'target'], ['color']];
    expect(paths.map(lineOf)).toEqual([2, 5, 8, 6, 1]);
  });

  it('says at which line it cannot be read', () => {
    const { content, problems } = readYaml('name: Deal\nfields: [\n');

    expect(content).toBeNull();
    expect(problems[0]).toMatchObject({ tone: 'bad' });
    expect(readYaml('- a').content).toBeNull();
  });

  it('is changed by the form without its comments being lost', () => {
    const edited = editYaml(TEXT, [
      { path: ['fields', 0, 'required'], value: true },
      { path: ['fields', 2], value: { code: 'size', name: 'Size', type: 'integer' } },
    ]);

    expect(edited).toContain('# What is sold');
    expect(edited).toContain('# The title');
    expect(edited).toContain('- { code: name, name: Name, type: string, required: true }');
    expect(edited).toContain('- { code: size, name: Size, type: integer }');
    expect(readYaml(editYaml(edited, [{ path: ['fields', 2], value: undefined }])).content).toMatchObject({
      fields: [{ code: 'name' }, { code: 'amount' }],
    });
    expect(readYaml(moveItem(edited, ['fields'], 2, 0)).content).toMatchObject({
      fields: [{ code: 'size' }, { code: 'name' }, { code: 'amount' }],
    });
  });

  it('is written with its keys in the order of the schema', () => {
    const stored = { app: 'crm', name: 'Deal', fields: [{ name: 'Name', type: 'string', code: 'name' }] };

    expect(writeYaml(stored, schema)).toBe(
      'name: Deal\nfields:\n  - { code: name, name: Name, type: string }\napp: crm\n',
    );
  });
});

describe('what may stand at a place of a text', () => {
  it('is a key that is not there yet', () => {
    expect(offersAt('name: Deal\n|')).toEqual(expect.arrayContaining(['fields', 'displayField', 'checks']));
    expect(offersAt('name: Deal\n|')).not.toContain('name');
    expect(offersAt('fields:\n  - code: name\n    re|\n')).toEqual(
      expect.arrayContaining(['required', 'renamedFrom', 'readPermission']),
    );
    expect(offersAt('fields:\n  - { code: name, ty| }')).toContain('type');
    expect(offersAt('fields:\n  - { code: name, ty| }')).not.toContain('code');
  });

  it('is one of the values that are allowed', () => {
    expect(offersAt('fields:\n  - code: name\n    type: str|')).toEqual(['string']);
    expect(offersAt('fields:\n- { code: name, type: da| }')).toEqual(['date', 'datetime']);
    expect(offersAt('concurrency: |')).toEqual(['optional', 'required']);
    expect(offersAt('fields:\n  - code: owner\n    required: |')).toEqual(['true', 'false']);
  });

  it('is a code of the environment', () => {
    expect(offersAt('fields:\n  - code: lead\n    type: relation\n    target: |')).toEqual(['deal', 'lead']);
  });

  it('is nothing in a comment, and where the schema knows nothing', () => {
    expect(offersAt('# na|')).toEqual([]);
    expect(offersAt('name: De|')).toEqual([]);
  });
});

describe('the fields of a CSV file', () => {
  it('have the types that its rows seem to have', () => {
    const rows = rowsOfCsv(
      `Title;Größe;Price;Paid;Due on;Seen at;State;Notes;Number
"A ""first"" one";1;1.50;true;2026-01-31;2026-01-31T10:00:00Z;open;"two
lines";12345678901
Second;2;20;false;2026-02-28;;won;;12345678902
Third;-3;0.5;true;2026-03-01;;open;short;12345678903
Fourth;4;1;false;2026-03-02;;won;short;12345678904
`.replaceAll('\n', '\r\n'),
    );

    expect(rows).toHaveLength(5);
    expect(rows[1]?.[0]).toBe('A "first" one');
    expect(fieldsOfRows(rows)).toEqual([
      { code: 'title', name: 'Title', type: 'string', searchable: true, required: true },
      { code: 'grosse', name: 'Größe', type: 'integer', required: true },
      { code: 'price', name: 'Price', type: 'decimal', required: true },
      { code: 'paid', name: 'Paid', type: 'boolean', required: true },
      { code: 'due_on', name: 'Due on', type: 'date', required: true },
      { code: 'seen_at', name: 'Seen at', type: 'datetime' },
      { code: 'state', name: 'State', type: 'enum', values: ['open', 'won'], required: true },
      { code: 'notes', name: 'Notes', type: 'text' },
      { code: 'number', name: 'Number', type: 'bigint', required: true },
    ]);
  });

  it('have codes of their own', () => {
    const fields = fieldsOfRows([
      ['Name', 'name', '2024', '', '状态'],
      ['a', 'b', 'c', 'd', 'e'],
    ]);

    expect(fields.map(({ code }) => code)).toEqual(['name', 'name_2', 'f_2024', 'f_4', 'field']);
  });
});

describe('what a role allows', () => {
  it('is granted by the code itself or by a wider one, which is named', () => {
    const codes = ['record:read:lead', 'command:*'];

    expect(grantedBy(codes, 'record:read:lead')).toBe('record:read:lead');
    expect(grantedBy(codes, 'command:execute:crm:convert')).toBe('command:*');
    expect(grantedBy(codes, 'record:write:lead')).toBeNull();
  });
});

describe('why someone may do something', () => {
  it('is said role by role', () => {
    const codes = new Map([
      ['SALES', ['record:read:*']],
      ['GREEDY', ['*']],
    ]);

    expect(verdicts(['SALES', 'ADMIN', 'GONE'], codes, 'record:read:lead')).toEqual([
      { role: 'SALES', by: 'record:read:*' },
      { role: 'ADMIN', by: '*' },
      { role: 'GONE', by: null },
    ]);
    expect(verdicts(['GREEDY', 'ADMIN', 'PLATFORM_ADMIN'], codes, 'admin:metadata').map(({ by }) => by)).toEqual([
      null,
      null,
      '*',
    ]);
  });
});

describe('the colours of a line', () => {
  it('leave its text as it is', () => {
    for (const line of [
      '  - { code: name, max: 1.5, required: true } # why',
      'sql: |',
      "at: '2026-01-01'",
      'a:b',
      '',
    ]) {
      expect(
        tokensOf(line)
          .map(({ text }) => text)
          .join(''),
      ).toBe(line);
    }
    expect(tokensOf('  name: "a # b" # c').map(({ kind }) => kind)).toEqual([
      'plain',
      'key',
      'plain',
      'text',
      'plain',
      'comment',
    ]);
  });
});
