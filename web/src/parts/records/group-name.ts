import { formatDate, formatMonth, formatYear } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { Group, Grouping } from './grouping.ts';

/** What the records of a group have in common, as people say it. */
export function groupName({ field, part }: Grouping, { value, label }: Pick<Group, 'value' | 'label'>): string {
  if (value === null || value === '') return t('Without');
  if (label !== null) return label;
  if (part === null) return (FIELD_KINDS[field.type].toText ?? textOf)(value, field);
  const day = value as string;
  if (part === 'year') return formatYear(day);
  if (part === 'month') return formatMonth(day);
  if (part === 'quarter') return `Q${Math.ceil(Number(day.slice(5, 7)) / 3)} ${formatYear(day)}`;
  return part === 'week' ? t('Week of {day}', { day: formatDate(day) }) : formatDate(day);
}
