import type { Contract } from '../http/contract.ts';
import { integer, list, MAP, text } from '../http/schema.ts';

export const DEFAULT_MAX_ITEMS = 100;
export const MAX_ITEMS = 5_000;

export const listRows: Contract = {
  ...{ tag: 'Data sources', summary: 'The rows of a data source' },
  query: {
    datasourceId: text({ minLength: 1, description: 'The code of the data source' }),
    maxItems: { ...integer(1, MAX_ITEMS), default: DEFAULT_MAX_ITEMS },
  },
  requiredQuery: ['datasourceId'],
  data: list(MAP),
  errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
};
