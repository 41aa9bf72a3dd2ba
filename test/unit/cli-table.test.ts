import { membersTable, pageTable, table } from '../../cli/output.mjs';

const PID = '01J9ZQ4W7N5Z3V8Q2M6T0K1R4C';

describe('a table of the command line', () => {
  it('is as wide as its longest cells where no terminal shows it', () => {
    expect(table(['A', 'B'], [['x'.repeat(200), null]])).toBe(`A${' '.repeat(199)}  B\n${'x'.repeat(200)}  -`);
  });

  it('is shortened to the terminal, the widest column first, and pids not at all', () => {
    const shown = table(['PID', 'TEXT', 'N'], [[PID, 'a long text that goes on', 1]], 40);
    expect(shown).toBe(`PID                         TEXT       N\n${PID}  a long t…  1`);
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBe(40);
  });

  it('counts what is two columns wide as two', () => {
    expect(
      table(
        ['NAME', 'N'],
        [
          ['王小明', 1],
          ['Ada', 2],
        ],
      ),
    ).toBe('NAME    N\n王小明  1\nAda     2');
    expect(table(['NAME', 'N'], [['王小明王小明王小明', 1]], 12)).toBe('NAME       N\n王小明王…  1');
  });

  it('escapes what a terminal would obey', () => {
    expect(table(['A'], [['\u001b[2J\nb']])).toBe('A\n\\u001b[2J\\u000ab');
    expect(membersTable({ a: { b: '\u202e' } })).toBe('FIELD  VALUE\na      {"b":"\\u202e"}');
  });

  it('says how many there are', () => {
    expect(pageTable(['A'], [[1]], 3)).toBe('A\n1\n1 of 3');
    expect(pageTable(['A'], [[1]], null)).toBe('A\n1\n1, and there are more: see --limit');
    expect(pageTable(['A'], [[1]], 1)).toBe('A\n1');
  });
});
