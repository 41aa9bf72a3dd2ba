import { BIGINT } from './bigint.ts';
import { BOOLEAN } from './boolean.ts';
import { DATE } from './date.ts';
import { DATETIME } from './datetime.ts';
import { DECIMAL } from './decimal.ts';
import { ENUM } from './enum.ts';
import { FILE } from './file.ts';
import { INTEGER } from './integer.ts';
import { JSON_VALUE } from './json.ts';
import { LIST } from './list.ts';
import { RELATION } from './relation.ts';
import { STRING } from './string.ts';
import { TEXT } from './text.ts';
import { USER } from './user.ts';

/** All field types by name. A new one is a file beside this one, and a line here. */
export const FIELD_TYPES = {
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
  list: LIST,
};

export type FieldType = keyof typeof FIELD_TYPES;
export const FIELD_TYPE_NAMES = Object.keys(FIELD_TYPES) as FieldType[];
