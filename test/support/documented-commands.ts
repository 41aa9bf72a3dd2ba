import { readFileSync } from 'node:fs';

/** One line of the documentation that runs the command line. */
export interface DocumentedLine {
  readonly file: string;
  readonly line: string;
  /** What its comment says. */
  readonly comment: string;
}

/** The lines of the shell examples in pages of the documentation, in order. */
export function documentedLines(files: readonly string[]): DocumentedLine[] {
  return files.flatMap((file) => {
    const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
    return [...text.matchAll(/^```sh.*\n([^]*?)^```/gm)].flatMap(([, block = '']) =>
      block
        .trimEnd()
        .split('\n')
        .map((whole) => {
          const [line = '', comment = ''] = whole.split(/\s+# /);
          return { file, line: line.trim(), comment };
        }),
    );
  });
}
