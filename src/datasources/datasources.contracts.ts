import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import { integer, list, MAP } from '../http/schema.ts';

const DEFAULT_MAX_ITEMS = 100;
const MAX_ITEMS = 5_000;

export const listRows: Contract = {
  ...{ tag: 'Data sources', summary: 'The rows of a data source' },
  query: {
    datasourceId: storable({ description: 'The code of the data source' }),
    maxItems: { ...integer(1, MAX_ITEMS), default: DEFAULT_MAX_ITEMS },
  },
  requiredQuery: ['datasourceId'],
  data: list(MAP),
  errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
};
