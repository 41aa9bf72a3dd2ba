import type { Field } from '../../app/application.ts';
import { BIGINT } from './bigint.tsx';
import { BOOLEAN } from './boolean.tsx';
import { DATE } from './date.tsx';
import { DATETIME } from './datetime.tsx';
import { DECIMAL } from './decimal.tsx';
import { ENUM } from './enum.tsx';
import type { FieldKind } from './field-kind.ts';
import { FILE } from './file.tsx';
import { INTEGER } from './integer.tsx';
import { JSON_VALUE } from './json.tsx';
import { RELATION } from './relation.tsx';
import { STRING } from './string.tsx';
import { TEXT } from './text.tsx';
import { USER } from './user.tsx';

/** The cells and editors of all types of fields. A new type is a file beside this one, and a line here. */
export const FIELD_KINDS: Readonly<Record<Field['type'], FieldKind>> = {
  string: STRING,
  text: TEXT,
  integer: INTEGER,
  bigint: BIGINT,
  decimal: DECIMAL,
  boolean: BOOLEAN,
  date: DATE,
  datetime: DATETIME,
  enum: ENUM,
  json: JSON_VALUE,
  relation: RELATION,
  user: USER,
  file: FILE,
  // No record has a list: forms of commands show one as rows.
  list: JSON_VALUE,
};
