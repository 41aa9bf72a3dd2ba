import { text } from '../../../../foundation/i18n/text.ts';
import { codeBeforeRename, IS_THERE_TOO } from '../../../../platform/metadata/resources/common-content.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ConflictTypeDefinition, Problem } from './conflict-type.ts';

/**
 * The target cannot follow a rename: of a field, of a resource whose old and new code are both there, of a
 * model.
 */
export const RENAME_IMPOSSIBLE: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['keep_target'],
  inResource(proposed) {
    const { source, target, table, modelBefore, types } = proposed;
    if (!source) return [];
    const problems: Problem[] = [];
    const problem = types.find(source.resourceType)?.problemOfRename;
    if (problem !== undefined && target && target.code !== source.code) {
      problems.push({ message: problem, details: { from: target.code } });
    }
    const from = codeBeforeRename(source);
    if (from !== null && target?.code === source.code && proposed.inTarget(source.resourceType, from)) {
      problems.push({ message: text(IS_THERE_TOO, { from }), details: { from } });
    }
    if (!isOfType(source, MODEL) || !table) return problems;
    for (const [field, message] of Object.entries(table.problemsOfRenames(source.content, modelBefore))) {
      const index = source.content.fields.findIndex(({ code }) => code === field);
      problems.push({ message, details: { field, path: `content.fields.${index}.renamedFrom` } });
    }
    return problems;
  },
};
