import type { CommandsService } from '../../commands/intake/commands.service.ts';
import type { RecordService } from '../../records/service/records.service.ts';
import type { ToolArguments } from './tool-call.ts';
import type { Toolbox, ToolCaller } from './toolbox.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';

/** A record without internal numbers, which mean nothing to a reader. */
export function shownRecord({ id: _id, tenant_id: _tenantId, expanded, ...record }: RecordData): RecordData {
  if (!expanded) return record;
  const shown = Object.entries(expanded as Record<string, RecordData | null>).map(([name, related]) => {
    const list = related?.records as readonly RecordData[] | undefined;
    const one = related && shownRecord(related);
    return [name, list ? { ...related, records: list.map(shownRecord) } : one] as const;
  });
  return { ...record, expanded: Object.fromEntries(shown) };
}

/** A tool as providers accept it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: Record<string, unknown>;
}

/** The services that tools work with: those of the REST endpoints. */
export interface ToolServices {
  readonly records: RecordService;
  readonly commands: CommandsService;
}

/** A checked command for the user to confirm. */
export interface Proposal {
  readonly commandCode: string;
  /** The body of the execute request. */
  readonly body: Record<string, unknown>;
  readonly summary: string;
}

interface AnyTool {
  readonly name: string;
  /** Its description for providers; null where the toolbox leaves it nothing to work on. */
  define(toolbox: Toolbox): { description: string; properties: object; required: readonly string[] } | null;
}

/** A tool that reads, with the caller's rights. */
export interface ReadTool extends AnyTool {
  read(caller: ToolCaller, args: ToolArguments, services: ToolServices): unknown;
}

/** A tool that changes data, once the user has confirmed what it proposes. */
export interface ConfirmedTool extends AnyTool {
  /** @throws the error of the request that it would make */
  propose(caller: ToolCaller, args: ToolArguments, services: ToolServices): Promise<Proposal>;
}

export type ToolKind = ReadTool | ConfirmedTool;
