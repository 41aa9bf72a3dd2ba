import type { ModelContent } from '../../platform/metadata/models/model-content.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { problemsOfRowRules, problemsOfRuleValues } from './query/row-rules.ts';

/** Models, whose row rules are conditions over their own fields. */
export const MODEL_WITH_ROW_RULES: ResourceType<ModelContent, Model> = {
  ...MODEL,
  validate: (content) => ({ ...MODEL.validate?.(content), ...problemsOfRuleValues(content) }),
  check: async (resource, after) => ({
    ...(await MODEL.check?.(resource, after)),
    ...problemsOfRowRules(MODEL.keep(resource, after.environment)),
  }),
};
