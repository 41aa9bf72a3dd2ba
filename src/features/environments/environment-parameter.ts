import { text } from '../../foundation/validation/schema.ts';

/** The variable part of paths that name an environment. */
export const ENVIRONMENT_PARAMETER = text({ description: 'The pid or the code of an environment' });
