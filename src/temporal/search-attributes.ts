import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';
import type { Logger } from '../logging/logger.ts';
import { hasStatus } from './answers.ts';

export type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number];

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const KEYS = Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, keyword(name)])) as Record<
  SearchAttribute,
  ReturnType<typeof keyword>
>;

/** The operator API's number for the type Keyword. */
const INDEXED_VALUE_TYPE_KEYWORD = 2;
/** gRPC statuses of a server whose operator API is not for us: somebody else has added the search attributes. */
const OPERATORS_ONLY = new Set([7, 12]);

export function typedAttributes(attributes: Partial<Record<SearchAttribute, string>>): TypedSearchAttributes {
  const pairs = Object.entries(attributes) as [SearchAttribute, string][];
  return new TypedSearchAttributes(pairs.map(([name, value]) => ({ key: KEYS[name], value })));
}

/** A server that was already there may not know our attributes, and refuses workflows that carry unknown ones. */
export async function registerSearchAttributes(client: Client, namespace: string, logger: Logger): Promise<void> {
  const { operatorService } = client.connection as unknown as {
    operatorService?: {
      listSearchAttributes(request: object): Promise<{ customAttributes?: Record<string, unknown> | null }>;
      addSearchAttributes(request: object): Promise<unknown>;
    };
  };
  if (!operatorService) return;
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTES.filter((name) => !customAttributes?.[name]);
    if (missing.length === 0) return;
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
    });
  } catch (error) {
    if (!hasStatus(error, OPERATORS_ONLY)) throw error;
    logger.warn({ attributes: SEARCH_ATTRIBUTES }, 'temporal lets only operators add search attributes');
  }
}
