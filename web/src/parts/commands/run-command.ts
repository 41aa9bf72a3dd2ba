import type { Command, RecordData } from '../../app/application.ts';
import { sendCommand, type Sent } from '../activity/send-command.ts';
import type { Operation } from './command-fields.ts';

interface Run {
  readonly command: Command;
  readonly operation: Operation;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The record that it works on, as it was read. */
  readonly record: Pick<RecordData, 'pid' | 'version'> | null;
  readonly idempotencyKey: string;
}

/** Executes a command. One that takes long goes on in the tray. @throws KeelsonError */
export function runCommand({ command, operation, payload, record, idempotencyKey }: Run): Promise<Sent> {
  const operationType = command.operations.length > 1 ? operation : undefined;
  return sendCommand({
    path: encodeURIComponent(command.code),
    name: command.name,
    body: { payload, operationType, targetRecordId: record?.pid },
    idempotencyKey,
    version: record?.version,
  });
}

/** For one intention: a repeat after a lost answer does nothing twice. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
