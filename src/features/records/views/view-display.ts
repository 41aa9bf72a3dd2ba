import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { FieldType } from '../../../platform/metadata/field-types/field-types.ts';
import type { Field, Model } from '../../../platform/metadata/models/model.ts';
import { isMeasurable } from '../../../platform/records/aggregates/aggregate-statement.ts';
import { unknownField } from '../../../platform/records/conditions/unknown-field.ts';
import type { ViewDisplay } from '../../../platform/records/pages/view-content.ts';

/** What a shape puts its records together by. */
const SHAPE_TYPES: Readonly<Record<string, readonly FieldType[]>> = {
  board: ['enum'],
  calendar: ['date', 'datetime'],
};
const DAYS: readonly FieldType[] = ['date', 'datetime'];

/** Problems of how a view is shown: path below `display` -> problem. */
export function problemsOfDisplay(display: ViewDisplay, model: Model): FieldErrors {
  const problems: FieldErrors = {};
  for (const [path, code] of fieldsIn(display)) {
    if (!model.fields.has(code)) problems[path] = unknownField(model, code);
  }
  const { shape, groupBy, measure, figures = [] } = display;
  const group = groupBy && model.fields.get(groupBy.fieldName);
  const types = shape === undefined ? undefined : SHAPE_TYPES[shape];
  if (group && types && !types.includes(group.type)) {
    problems['groupBy.fieldName'] = text('is not of type {type}', { type: types.join(', ') });
  }
  if (group && groupBy.part !== undefined && !DAYS.includes(group.type)) {
    problems['groupBy.part'] = 'is for a date or a datetime';
  }
  const measures = [...figures.map((figure, index) => [`figures.${index}`, figure] as const)];
  for (const [path, { fieldName, fn }] of [...measures, ...(measure ? [['measure', measure] as const] : [])]) {
    const type = model.fields.get(fieldName)?.type;
    if (type && fn !== 'none' && !isMeasurable(type, fn)) {
      problems[`${path}.fn`] = text('is not for a {type} field', { type });
    }
  }
  return problems;
}

/** The same without the fields that are not to be seen. */
export function visibleDisplay(display: ViewDisplay, isVisible: (code: string) => boolean): ViewDisplay {
  const { groupBy, measure, figures, widths, pinned, ...rest } = display;
  const isSeen = ({ fieldName }: { readonly fieldName: string }): boolean => isVisible(fieldName);
  return {
    ...rest,
    ...(groupBy && isSeen(groupBy) && { groupBy }),
    ...(measure && isSeen(measure) && { measure }),
    ...(figures && { figures: figures.filter(isSeen) }),
    ...(widths && { widths: widths.filter(isSeen) }),
    ...(pinned && { pinned: pinned.filter(isVisible) }),
  };
}

/** The same after renames of fields, in the same order. */
export function renamedDisplay(display: ViewDisplay, rename: (code: Field['code']) => string): ViewDisplay {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? rename(one) : renamed(one)));
    if (typeof value !== 'object' || value === null || !('fieldName' in value)) return value;
    return { ...value, fieldName: rename(value.fieldName as string) };
  };
  return Object.fromEntries(Object.entries(display).map(([key, value]) => [key, renamed(value)]));
}

function fieldsIn({ groupBy, measure, figures = [], widths = [], pinned = [] }: ViewDisplay) {
  return [
    ...(groupBy ? [['groupBy.fieldName', groupBy.fieldName] as const] : []),
    ...(measure ? [['measure.fieldName', measure.fieldName] as const] : []),
    ...figures.map(({ fieldName }, index) => [`figures.${index}.fieldName`, fieldName] as const),
    ...widths.map(({ fieldName }, index) => [`widths.${index}.fieldName`, fieldName] as const),
    ...pinned.map((code, index) => [`pinned.${index}`, code] as const),
  ];
}
