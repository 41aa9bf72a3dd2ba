import { renamedConditions, renamedPath } from '../../../platform/metadata/models/renamed-paths.ts';
import type { FieldRenames } from '../../../platform/metadata/resources/field-renames.ts';
import type { ViewParts } from '../../../platform/records/pages/view-content.ts';
import { renamedDisplay } from './view-display.ts';

/** What a view keeps of a list of a model, after renames. */
export function renamedView<V extends ViewParts>(view: V, model: string, renames: FieldRenames): V {
  const { conditions, sortFields, columns, display } = view;
  const path = (code: string): string => renamedPath(code, model, renames);
  return {
    ...view,
    ...(conditions && { conditions: renamedConditions(conditions, model, renames) }),
    ...(sortFields && { sortFields: sortFields.map((one) => ({ ...one, fieldName: path(one.fieldName) })) }),
    ...(columns && { columns: columns.map(path) }),
    ...(display && { display: renamedDisplay(display, path) }),
  };
}
