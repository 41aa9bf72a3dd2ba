import { dayIn } from '../../../foundation/time/time-zones.ts';
import type { FieldContent } from './field-content.ts';
import type { DefaultVariable } from './field-type.ts';
import { FIELD_TYPES } from './field-types.ts';

/** Who creates a record. */
interface Creator {
  readonly userPid: string;
  readonly timeZone: string;
}

const VALUES: Record<DefaultVariable, (creator: Creator) => string> = {
  '$user.pid': ({ userPid }) => userPid,
  $now: () => new Date().toISOString(),
  $today: ({ timeZone }) => dayIn(new Date(), timeZone),
};

/** The variable that a field's default is; null for a value, or for none. */
export function defaultVariableOf(field: FieldContent): DefaultVariable | null {
  return FIELD_TYPES[field.type].defaultVariables?.find((variable) => variable === field.default) ?? null;
}

export function valueOfVariable(variable: DefaultVariable, creator: Creator): string {
  return VALUES[variable](creator);
}

/** The field with the values that its default, and those of the fields of its items, stand for now. */
export function withDefaultValue<F extends FieldContent>(field: F, creator: Creator): F {
  if (field.fields) return { ...field, fields: field.fields.map((one) => withDefaultValue(one, creator)) };
  const variable = defaultVariableOf(field);
  return variable === null ? field : { ...field, default: valueOfVariable(variable, creator) };
}
