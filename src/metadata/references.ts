import type { FieldErrors } from '../errors/application-error.ts';
import type { CommandContent, ModelContent, PageContent } from './content.ts';
import type { ResourceDraft } from './resources.service.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * What saved resources refer to and the environment lacks: path -> problem.
 * @param after the environment as it would be with the drafts in it
 */
export function problemsOfReferences(after: Snapshot, drafts: readonly ResourceDraft[]): FieldErrors {
  const problems: FieldErrors = {};
  for (const { resourceType, code, content } of drafts) {
    const at = (path: string): string => `${drafts.length > 1 ? `${resourceType}/${code} ` : ''}content.${path}`;
    const report = (path: string, problem: string): void => void (problems[at(path)] ??= problem);
    if (resourceType === 'MODEL') modelReferences(after, code, content as ModelContent, report);
    if (resourceType === 'PAGE_SCHEMA') pageReferences(after, content as PageContent, report);
    if (resourceType === 'COMMAND') commandReferences(after, content as CommandContent, report);
  }
  return problems;
}

type Report = (path: string, problem: string) => void;

function modelReferences(after: Snapshot, _code: string, { fields }: ModelContent, report: Report): void {
  fields.forEach(({ target }, index) => {
    if (target !== undefined && !after.models.has(target)) report(`fields.${index}.target`, 'is not a model');
  });
}

function pageReferences(after: Snapshot, { modelCode, columns }: PageContent, report: Report): void {
  const model = after.models.get(modelCode);
  if (!model) return report('modelCode', 'is not a model');
  columns.forEach((column, index) => {
    if (!model.fields.has(column)) report(`columns.${index}`, `is not a field of ${modelCode}`);
  });
}

function commandReferences(after: Snapshot, { modelCode, steps = [] }: CommandContent, report: Report): void {
  if (!after.models.has(modelCode)) report('modelCode', 'is not a model');
  steps.forEach((step, index) => {
    const model = after.models.get(step.modelCode);
    if (!model) return report(`steps.${index}.modelCode`, 'is not a model');
    for (const field of Object.keys(step.values ?? {})) {
      if (!model.fields.get(field)?.content) {
        report(`steps.${index}.values.${field}`, `is not a field of ${step.modelCode}`);
      }
    }
  });
}
