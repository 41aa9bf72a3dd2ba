import { text } from '../../../../foundation/i18n/text.ts';
import { codeBeforeRename, IS_THERE_TOO } from '../../../../platform/metadata/resources/common-content.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ConflictTypeDefinition, Finding } from './conflict-type.ts';

/**
 * The target cannot follow a rename: of a field, of a resource whose old and new code are both there, of a
 * model.
 */
export const RENAME_IMPOSSIBLE: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['keep_target'],
  inCandidate(candidate) {
    const { source, target, table, modelBefore, types } = candidate;
    if (!source) return [];
    const findings: Finding[] = [];
    const problem = types.find(source.resourceType)?.problemOfRename;
    if (problem !== undefined && target && target.code !== source.code) {
      findings.push({ message: problem, details: { from: target.code } });
    }
    const from = codeBeforeRename(source);
    if (from !== null && target?.code === source.code && candidate.inTarget(source.resourceType, from)) {
      findings.push({ message: text(IS_THERE_TOO, { from }), details: { from } });
    }
    if (!isOfType(source, MODEL) || !table) return findings;
    for (const [field, message] of Object.entries(table.problemsOfRenames(source.content, modelBefore))) {
      const index = source.content.fields.findIndex(({ code }) => code === field);
      findings.push({ message, details: { field, path: `content.fields.${index}.renamedFrom` } });
    }
    return findings;
  },
};
