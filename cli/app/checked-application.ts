import { readApplication, requireNoProblems, type ApplicationFiles } from './application-files.ts';
import { checkResources } from './check-files.ts';
import { readData, type InitialData } from './data-files.ts';
import { Failure } from '../outcome.mjs';

/**
 * An application's files and data, checked without a service.
 * @throws Failure with the file, line and column of each problem
 */
export async function readChecked(
  directory: string,
): Promise<{ readonly files: ApplicationFiles; readonly data: InitialData }> {
  const files = await readApplication(directory);
  const { problems, snapshot } = await checkResources(files);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (snapshot === null) {
    requireNoProblems(errors);
    throw new Failure(`${directory} cannot be read`);
  }
  const data = await readData(directory, snapshot, true);
  requireNoProblems([...errors, ...data.problems]);
  return { files, data };
}
