import {
  BOOLEAN,
  described,
  mapOf,
  object,
  oneOf,
  PID,
  text,
  textUpTo,
  withDefault,
  type Static,
} from '../../foundation/validation/schema.ts';
import { IMPORT_FORMAT_NAMES } from './formats/import-format.ts';
import { IMPORT_MODES } from './import-plan.ts';

/** What is asked of an import. */
export const IMPORT_BODY = object(
  { filePid: described('An uploaded file', PID), format: oneOf(IMPORT_FORMAT_NAMES) },
  {
    mapping: described(
      'Column -> field. Without it columns are named by the codes of fields, as those of an export are',
      mapOf(text({ maxLength: 48 })),
    ),
    mode: described(
      '`create` all rows, `update` the records that they match, or create those that are missing (`upsert`)',
      withDefault('create', oneOf(IMPORT_MODES)),
    ),
    matchOn: described('The unique field, or `pid`, by which `update` and `upsert` find records', textUpTo(48)),
    commandCode: described(
      'Needed where the model has several commands that do this and that you may execute',
      textUpTo(100),
    ),
    delimiter: described(
      'What separates the cells of a CSV file. Without it, what a first line such as `sep=;` says, or what the rows show',
      text({ pattern: '^[^"\\r\\n]$' }),
    ),
    dryRun: described('Tries all rows, and undoes what they have done', BOOLEAN),
  },
);
export type ImportBody = Static<typeof IMPORT_BODY>;
