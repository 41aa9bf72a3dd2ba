import type { Contract } from '../http/contract.ts';
import { ANYTHING, MAP } from '../http/schema.ts';

const tag = 'API';

export const document: Contract = {
  ...{ tag, summary: 'This document', data: ANYTHING },
  // No envelope: tools read it.
  media: { type: 'application/json', description: 'OpenAPI 3.1', schema: MAP },
};
export const page: Contract = {
  ...{ tag, summary: 'This document, for people', data: ANYTHING },
  media: { type: 'text/html', description: 'A page' },
};
export const asset: Contract = {
  ...{ tag, summary: 'What the page is made of', errors: ['NOT_FOUND'], data: ANYTHING },
  media: { type: '*/*', description: 'A script, a style sheet or an icon' },
};
