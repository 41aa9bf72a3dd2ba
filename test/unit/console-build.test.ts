import { celNamesOf } from '../../web/src/parts/build/cel-names.ts';
import { completeYaml } from '../../web/src/parts/build/complete-yaml.ts';
import { fieldsOfRows, rowsOfCsv } from '../../web/src/parts/build/csv-fields.ts';
import type { JsonSchema } from '../../web/src/parts/build/json-schema.ts';
import { grantedBy } from '../../web/src/parts/build/role-codes.ts';
import { verdicts } from '../../web/src/parts/build/why.ts';
import { editYaml, moveItem, readYaml, writeYaml } from '../../web/src/parts/build/yaml-text.ts';
import { tokensOf } from '../../web/src/parts/build/yaml-tokens.ts';
import { COMMAND } from '../../src/features/commands/definition/command-type.ts';
import { fileSchemaOf } from '../../src/platform/metadata/resources/file-schema.ts';
import { MODEL } from '../../src/platform/metadata/models/model-type.ts';

/** The schema of the contents of a type, as editors get it. */
function schemaOf(type: Parameters<typeof fileSchemaOf>[0]): JsonSchema {
  const file = fileSchemaOf(type, (named) => (named === 'MODEL' ? ['lead', 'deal'] : [])) as JsonSchema;
  return { ...file.properties?.content, $defs: file.$defs ?? {} };
}
const schema = schemaOf(MODEL);

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

describe('what may stand in an expression', () => {
  const content = { payload: [{ code: 'note', name: 'Note', type: 'text' }] };
  const lead = { fields: [{ code: 'status' }, { code: 'amount' }] };
  const ofCommands = schemaOf(COMMAND);
  const namesAt = (marked: string): string[] => {
    const names = celNamesOf('COMMAND', content, lead);
    const found = completeYaml(marked.replace('|', ''), marked.indexOf('|'), ofCommands, names);
    return found?.offers.map(({ name }) => name) ?? [];
  };
  const STEPS = 'steps:\n  - id: made\n    modelCode: lead\n  - id: told\n';

  it('is a variable or a function, where nothing else is begun', () => {
    expect(namesAt('rules:\n  - assert: re|')).toEqual(['record']);
    expect(namesAt('rules:\n  - { assert: record.amount > 1 && ti| }')).toEqual(['timestamp()']);
    expect(namesAt('result:\n  lead: |')).toEqual(
      expect.arrayContaining(['record', 'payload', 'steps', 'now', 'size()']),
    );
  });

  it('is a field of the record, what the command takes, or an earlier step', () => {
    expect(namesAt('rules:\n  - assert: record.|')).toEqual(expect.arrayContaining(['status', 'amount', 'version']));
    expect(namesAt('rules:\n  - assert: size(payload.|')).toEqual(['note']);
    expect(namesAt(`${STEPS}    when: steps.|`)).toEqual(['made']);
    expect(namesAt(`${STEPS}result:\n  lead: steps.|`)).toEqual(['made', 'told']);
  });

  it('is nothing within a text, and of what is not known', () => {
    expect(namesAt(`rules:\n  - assert: 'record.status == "re|`)).toEqual([]);
    expect(namesAt('rules:\n  - assert: record.status.|')).toEqual([]);
    expect(namesAt('name: re|')).toEqual([]);
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

  it('say yes or no by the words that imports take', () => {
    const rows = [
      ['Paid', 'Sent', 'Rank'],
      ['yes', '是', '1'],
      ['No', '否', '0'],
      ['yes', '是', '1'],
      ['no', '否', '0'],
    ];

    expect(fieldsOfRows(rows).map(({ type }) => type)).toEqual(['boolean', 'boolean', 'integer']);
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
