import type { Field } from './application.ts';
import { t, type TextKey } from './texts.ts';

/** The service calls them by their codes. */
const SYSTEM_NAMES: Readonly<Record<string, TextKey>> = {
  id: 'Number',
  pid: 'Id',
  created_at: 'Created',
  created_by: 'Created by',
  updated_at: 'Changed',
  updated_by: 'Changed by',
  version: 'Version',
};

/** What people call a field. */
export function fieldName({ code, name }: Pick<Field, 'code' | 'name'>): string {
  const key = name === code ? SYSTEM_NAMES[code] : undefined;
  return key === undefined ? name : t(key);
}
