import { COMMANDS } from '../../cli/commands.mjs';
import { parseCommandLine } from '../../cli/command-line.mjs';
import { documentedLines } from '../support/documented-commands.ts';

/** Every call of the command line, up to a redirection or the next command. */
const examples = documentedLines(['cli.md', 'configuration-as-code.md']).flatMap(({ line }) =>
  [...line.matchAll(/(?:^|&& )(?:npx --offline )?keelson ([^#&<>)\n]*(?:<promotion>[^#&\n]*)?)/g)].map(
    ([, call = '']) => call.trim(),
  ),
);

describe('the examples of the command line in the documentation', () => {
  it('are found', () => {
    expect(examples.length).toBeGreaterThan(25);
  });

  it.each(examples)('keelson %s is a command with its arguments and options', (line) => {
    const words = (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ''));
    const name = [2, 1].map((count) => words.slice(0, count).join(' ')).find((one) => Object.hasOwn(COMMANDS, one));
    const command = COMMANDS[name ?? ''];
    if (!command) throw new Error(`there is no such command: ${line}`);
    expect(() => parseCommandLine(command, words.slice((name ?? '').split(' ').length))).not.toThrow();
  });
});

describe('--limit', () => {
  it.each(['0', '-1', '501', 'x', '1.5', ''])('%p is refused in the words of the command line', (limit) => {
    for (const name of ['audit', 'logs', 'promotion list']) {
      expect(() => parseCommandLine(COMMANDS[name] as never, [`--limit=${limit}`])).toThrow(
        '--limit is a whole number from 1 to 500',
      );
    }
  });

  it('is a page of a list at most', () => {
    expect(parseCommandLine(COMMANDS.audit as never, ['--limit', '500']).options).toEqual({ limit: '500' });
  });
});

describe('the help of every command', () => {
  it.each(Object.entries(COMMANDS))('%s has an example that works', (name, { example }) => {
    const words = example
      .replace(/ <.*/, '')
      .split(' ')
      .slice(1 + name.split(' ').length);
    expect(() => parseCommandLine(COMMANDS[name] as never, words)).not.toThrow();
  });
});
