import {
  ANYTHING,
  BOOLEAN,
  described,
  integer,
  list,
  MAP,
  mapOf,
  NUMBER,
  object,
  oneOf,
  text,
  type Static,
} from '../../foundation/validation/schema.ts';
import { FIELD_TYPE_NAMES } from '../../platform/metadata/field-types/field-types.ts';
import { OPERATIONS } from '../commands/definition/command-content.ts';

const KEYS_OF_FIELD = {
  code: text(),
  name: text(),
  type: oneOf(FIELD_TYPE_NAMES),
  required: BOOLEAN,
  readOnly: BOOLEAN,
};
const OPTIONS_OF_FIELD = {
  values: list(text()),
  default: described(
    'Stored by a create that does not name the field; `$now` and the like are worked out then',
    ANYTHING,
  ),
  transitions: described(
    'State of an enum -> those that it may change to; one that is not named is final',
    mapOf(list(text())),
  ),
  labels: described('What people call the values of an enum', mapOf(text())),
  target: text(),
  scale: described('The most digits after the point of a decimal', integer(0)),
  precision: described('The most digits of a decimal', integer(1)),
  maxLength: integer(1),
  min: NUMBER,
  max: NUMBER,
  accept: list(text()),
  maxBytes: integer(1),
};
const FIELD = object(KEYS_OF_FIELD, {
  ...OPTIONS_OF_FIELD,
  fields: described('Those of the items of a list', list(object(KEYS_OF_FIELD, OPTIONS_OF_FIELD))),
  minItems: integer(0),
  maxItems: integer(1),
});
const COLUMN = object({ fieldName: text(), label: text(), sortable: BOOLEAN }, { format: text(), width: integer(1) });
const PAGE = object(
  {
    pageKey: text(),
    name: text(),
    modelCode: text(),
    columns: list(COLUMN),
    sortFields: list(object({ fieldName: text(), order: oneOf(['asc', 'desc']) })),
    commands: list(text()),
    operators: described('Type of a field -> the operators of conditions on it', mapOf(list(text()))),
  },
  {
    form: object({ sections: list(object({ fields: list(text()) }, { name: text(), columns: integer(1) })) }),
    params: described('Names of `extraParams` without which its lists are 400', list(text())),
  },
);
const RELATION = object({
  code: text(),
  name: text(),
  target: described('Code of the model at the other end', text()),
  through: described('Code of the model whose records join the two', text()),
});
const MODEL = object(
  {
    code: text(),
    name: text(),
    displayField: described('The field by which people know a record; `pid` where no text can be read', text()),
    fields: list(FIELD),
  },
  {
    checks: described(
      'What must be true of every record, as CEL over `record`; those that read what the caller may not are left out',
      list(object({ assert: text(), message: text() }, { fields: list(text()), reason: text() })),
    ),
    uniqueTogether: described('Fields of which no two records share all values', list(list(text()))),
    noOverlap: described(
      'Records with the same values of `fields` do not overlap between `from` and `to`',
      list(object({ fields: list(text()), from: text(), to: text() }, { message: text() })),
    ),
    relations: described('Many to many: what `expand` answers beside what fields name', list(RELATION)),
  },
);
const COMMAND = object(
  {
    code: text(),
    name: text(),
    modelCode: text(),
    operations: list(oneOf(OPERATIONS)),
    payloadSchema: described('JSON Schema; of several operations, without what only a create requires', MAP),
  },
  {
    target: described('A CUSTOM command works on a record', BOOLEAN),
    fields: list(FIELD),
    transition: described(
      'The state that the command gives its record, and those that it starts from',
      object({ field: text(), from: list(text()), to: text() }),
    ),
    matchOn: described('Fields by which an UPSERT may find its record', list(text())),
  },
);
const NAMED = object({ code: text(), name: text() });

/** What a caller may use. */
export const APP = object({
  environment: text(),
  metadataVersion: integer(0),
  timeZone: described(
    "The tenant's time zone: that of `$today`, schedules and parts of moments that name none",
    text(),
  ),
  pages: list(PAGE),
  models: list(MODEL),
  commands: list(COMMAND),
  dataSources: list(object({ code: text(), name: text(), paramsSchema: MAP })),
  views: list(ANYTHING),
  automations: list(object({ code: text(), name: text(), inputSchema: MAP, fields: list(FIELD) })),
  assistants: list(NAMED),
  dashboards: list(NAMED),
});
export type App = Static<typeof APP>;
