import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';

export const MAX_MESSAGE = 8_000;
export const PID = /^[0-9A-Za-z]{1,32}$/;

type Body = Readonly<Record<string, unknown>>;

/** @throws VALIDATION_ERROR */
export function parseChat(body: Body): { conversationId: string | null; message: string } {
  const errors: FieldErrors = {};
  refuseUnknown(body, ['conversationId', 'message'], errors);
  const { conversationId = null, message } = body;
  if (conversationId !== null && (typeof conversationId !== 'string' || !PID.test(conversationId))) {
    errors.conversationId = 'must be the id of a conversation';
  }
  const problem = problemOfText(message, MAX_MESSAGE);
  if (problem) errors.message = problem;
  throwIfInvalid(errors);
  return { conversationId: conversationId as string | null, message: message as string };
}

/** @throws VALIDATION_ERROR */
export function parseDecision(body: Body): { confirmationId: string; confirmed: boolean } {
  const errors: FieldErrors = {};
  refuseUnknown(body, ['confirmationId', 'confirmed'], errors);
  const { confirmationId, confirmed } = body;
  if (typeof confirmationId !== 'string' || !PID.test(confirmationId))
    errors.confirmationId = 'must be the id of a confirmation';
  if (typeof confirmed !== 'boolean') errors.confirmed = 'must be true or false';
  throwIfInvalid(errors);
  return { confirmationId: confirmationId as string, confirmed: confirmed as boolean };
}

/** What is wrong with a text that people have written, or null. */
export function problemOfText(text: unknown, maxLength: number): string | null {
  if (text === undefined || text === null || text === '') return 'is required';
  if (typeof text !== 'string') return 'must be a text';
  if (text.length > maxLength) return `must not be longer than ${maxLength} characters`;
  if (text.trim() === '') return 'is required';
  return text.includes('\0') || !text.isWellFormed() ? 'is not a valid text' : null;
}

function refuseUnknown(body: Body, known: readonly string[], errors: FieldErrors): void {
  for (const key of Object.keys(body)) if (!known.includes(key)) errors[key] = 'is not known here';
}
