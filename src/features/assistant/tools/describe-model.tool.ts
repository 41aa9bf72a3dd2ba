import type { ReadTool } from './tool-kind.ts';
import { codesThat, modelFor, toolboxOf } from './toolbox.ts';

export const describeModelTool: ReadTool = {
  name: 'describe_model',
  define(toolbox) {
    const codes = codesThat('mayDescribe', toolbox);
    if (codes.length === 0) return null;
    return {
      description: 'The fields of a model with their types and values, and its relations.',
      properties: { model: { type: 'string', enum: codes } },
      required: ['model'],
    };
  },
  read(caller, args) {
    const { code } = modelFor(caller, 'describe', args);
    return toolboxOf(caller.actor, caller.assistant, false).models.find((model) => model.code === code);
  },
};
