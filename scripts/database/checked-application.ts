import { readApplication, requireNoProblems, type ApplicationFiles } from '../../cli/app/application-files.ts';
import { checkResources } from '../../cli/app/check-files.ts';
import { readData, type InitialData } from '../../cli/app/data-files.ts';
import { Failure } from '../../cli/outcome.mjs';

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
