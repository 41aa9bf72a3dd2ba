import { describeModelTool } from './describe-model.tool.ts';
import { listRecordsTool } from './list-records.tool.ts';
import { readRecordTool } from './read-record.tool.ts';
import { runCommandTool } from './run-command.tool.ts';
import type { ToolDefinition, ToolKind } from './tool-kind.ts';
import type { Toolbox } from './toolbox.ts';

/** Every tool of assistants. A new one is a file and a line here. */
const TOOL_KINDS: readonly ToolKind[] = [listRecordsTool, readRecordTool, describeModelTool, runCommandTool];

/** The tools that a reply may use. Calls of others are refused. */
export function toolDefinitions(toolbox: Toolbox): ToolDefinition[] {
  return TOOL_KINDS.flatMap((kind) => {
    const defined = kind.define(toolbox);
    if (!defined) return [];
    const { description, properties, required } = defined;
    return [
      {
        name: kind.name,
        description,
        parameters: { type: 'object', properties, required, additionalProperties: false },
      },
    ];
  });
}

export function toolNamed(name: string): ToolKind | undefined {
  return TOOL_KINDS.find((kind) => kind.name === name);
}
