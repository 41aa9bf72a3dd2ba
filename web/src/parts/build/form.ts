import type { Draft } from './drafts.ts';
import type { JsonSchema } from './json-schema.ts';
import type { DraftNote } from './use-plan.ts';
import type { Content } from './yaml-text.ts';

/** What a form of a resource gets: the draft as it can be read, and a way to change its text. */
export interface FormProps {
  readonly draft: Draft;
  readonly content: Content;
  /** What is saved; null for a new one. */
  readonly saved: Content | null;
  /** Of the content, with the codes of the environment. */
  readonly schema: JsonSchema;
  readonly notes: readonly DraftNote[];
  readonly onText: (text: string) => void;
}
