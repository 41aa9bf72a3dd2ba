import type { Application, Command, Field, Model, Page, RecordData } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import type { Sent } from '../activity/send-command.ts';
import { commandFields } from '../commands/command-fields.ts';
import { commandsOf, editingCommand } from '../commands/editing-command.ts';
import { runCommand, newKey } from '../commands/run-command.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { textOf } from '../fields/field-kind.ts';

/** The command that gives a field of a record another value; or why there is none. */
export type Move =
  | {
      readonly command: Command;
      readonly payload: Readonly<Record<string, unknown>>;
      /** Codes of the fields of its form. */
      readonly takes: readonly string[];
      /** It must be told more than that. */
      readonly needsForm: boolean;
    }
  | { readonly reason: string };

/** A transition first, else a plain change where the model allows it. */
export function moveTo(
  application: Application,
  page: Page,
  model: Model,
  field: Field,
  from: unknown,
  to: unknown,
): Move {
  const transition = commandsOf(application, page).find(
    ({ transition: one }) => one?.field === field.code && one.to === to && one.from.includes(textOf(from)),
  );
  if (transition) {
    const fields = commandFields(transition, model, page);
    const needsForm = transition.operations.includes('CUSTOM') && fields.some(({ required }) => required);
    return { command: transition, payload: {}, takes: fields.map((one) => one.code), needsForm };
  }
  const states = field.transitions;
  const isAllowed = !states || from === null || from === undefined || (states[textOf(from)] ?? []).includes(textOf(to));
  const command = isAllowed ? editingCommand(application, page, model, field.code) : undefined;
  if (command) return { command, payload: { [field.code]: to }, takes: [], needsForm: false };
  const { toText = textOf } = FIELD_KINDS[field.type];
  const names = { from: toText(from, field) || t('Without'), to: toText(to, field) || t('Without') };
  return { reason: t('No command leads from {from} to {to}', names) };
}

/** Makes the move. @throws KeelsonError */
export function makeMove({ command, payload }: Exclude<Move, { reason: string }>, record: RecordData): Promise<Sent> {
  const operation = command.operations.includes('UPDATE') ? 'UPDATE' : 'CUSTOM';
  return runCommand({ command, operation, payload, record, idempotencyKey: newKey() });
}
