import type { Invocation } from '../command-line.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { findApplication, readApplication } from './application-files.ts';
import { checkFiles } from './check-files.ts';
import { formatProblem, type Problem } from './source-file.ts';

const FORMATS = { text: formatProblem, github: annotation };

/** Checks the files of an application without a service. */
export async function lint({ output, options }: Invocation): Promise<number> {
  const { format = 'text', dir, strict = false } = options as { format?: string; dir?: string; strict?: boolean };
  if (!Object.hasOwn(FORMATS, format)) throw new UsageError(`--format is ${Object.keys(FORMATS).join(' or ')}`);
  const print = FORMATS[format as keyof typeof FORMATS];
  const files = await readApplication(findApplication(dir));
  const problems = await checkFiles(files);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  await output.show({ problems }, () => {
    const counts = `${files.resources.length} resources, ${errors} errors, ${problems.length - errors} warnings`;
    return [...problems.map(print), ...(format === 'text' ? [counts] : [])].join('\n');
  });
  return errors > 0 || (strict && problems.length > 0) ? EXIT.failure : EXIT.ok;
}

/** A workflow command of GitHub Actions. */
function annotation({ file, line, column, severity, message }: Problem): string {
  const value = (text: string): string => text.replace(/[%\r\n]/g, encodeURIComponent);
  const property = (text: string): string => value(text).replace(/[:,]/g, encodeURIComponent);
  return `::${severity} file=${property(file)},line=${line},col=${column}::${value(message)}`;
}
