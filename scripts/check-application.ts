import { readChecked } from '../cli/app/checked-application.ts';
import { Failure } from '../cli/outcome.mjs';

/** Checks an application before anything is started: `node scripts/check-application.ts <directory>`. */
readChecked(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error instanceof Failure ? error.message : error);
  process.exit(1);
});
