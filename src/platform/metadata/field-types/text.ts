import { textOfLength } from './string.ts';

export const TEXT = textOfLength(100_000);
