import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { SEARCH_ATTRIBUTE_LISTS, SEARCH_ATTRIBUTES } from '../../../workflows/contracts.ts';
import type { Logger } from '../logging/logger.ts';
import { ApplicationError } from '../errors/application-error.ts';

/** gRPC statuses of a server that is down, restarting or overloaded. */
const UNAVAILABLE_STATUSES = new Set([1, 4, 8, 14]);

class DeadlineExceeded extends Error {}

/** @throws NoAnswer */
export async function withDeadline<T>(client: Client, timeoutMs: number, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    // The client's deadline ends one attempt only, and the connection makes several.
    return await Promise.race([client.withDeadline(Date.now() + timeoutMs, ask), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a call failed because the server is unavailable or did not answer in time. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof DeadlineExceeded ||
    (!(error instanceof ApplicationError) && hasStatus(error, UNAVAILABLE_STATUSES))
  );
}

function hasStatus(error: unknown, statuses: ReadonlySet<number>): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'number' && statuses.has(code)) return true;
  }
  return false;
}

export type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number];
export type SearchAttributeList = (typeof SEARCH_ATTRIBUTE_LISTS)[number];

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const KEYS = Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, keyword(name)])) as Record<
  SearchAttribute,
  ReturnType<typeof keyword>
>;

/** Numbers of the types in the operator API. */
const KEYWORD_TYPE = 2;
const KEYWORD_LIST_TYPE = 7;
/** gRPC statuses of a server that refuses us its operator API: its operator adds the search attributes. */
const NOT_PERMITTED_STATUSES = new Set([7, 12]);

/** gRPC status of a start with an attribute that the server does not know. */
const INVALID_ARGUMENT = new Set([3]);

/**
 * The search attribute that a start failed for, because the server does not know it; null: that is not why.
 */
export function missingSearchAttribute(error: unknown): string | null {
  if (!hasStatus(error, INVALID_ARGUMENT)) return null;
  for (let current = error; current instanceof Error; current = current.cause) {
    const [, name] = /no mapping defined for search attribute (\w*)/i.exec(current.message) ?? [];
    if (name !== undefined) return name;
  }
  return null;
}

export function typedAttributes(
  attributes: Partial<Record<SearchAttribute, string>>,
  lists: Readonly<Partial<Record<SearchAttributeList, readonly string[]>>> = {},
): TypedSearchAttributes {
  const pairs = Object.entries(attributes) as [SearchAttribute, string][];
  return new TypedSearchAttributes([
    ...pairs.map(([name, value]) => ({ key: KEYS[name], value })),
    ...Object.entries(lists).map(([name, values]) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD_LIST),
      value: [...values],
    })),
  ]);
}

/** Adds missing search attributes, because Temporal refuses workflows with unknown ones. */
export async function registerSearchAttributes(client: Client, namespace: string, logger: Logger): Promise<void> {
  const { connection } = client;
  if (!('operatorService' in connection)) return;
  const { operatorService } = connection;
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const add = async (names: readonly string[], type: number): Promise<void> => {
      const missing = names.filter((name) => !customAttributes?.[name]);
      if (missing.length === 0) return;
      const searchAttributes = Object.fromEntries(missing.map((name) => [name, type]));
      await operatorService.addSearchAttributes({ namespace, searchAttributes });
    };
    await add(SEARCH_ATTRIBUTES, KEYWORD_TYPE);
    // One by one: a namespace on SQL has three lists, and those who share it may have used some of them.
    for (const list of SEARCH_ATTRIBUTE_LISTS) {
      await add([list], KEYWORD_LIST_TYPE).catch((error: unknown) => {
        if (!hasStatus(error, INVALID_ARGUMENT)) throw error;
        logger.warn({ err: error, attribute: list }, 'groups have no search attribute of this name');
      });
    }
  } catch (error) {
    if (!hasStatus(error, NOT_PERMITTED_STATUSES)) throw error;
    logger.warn({ attributes: SEARCH_ATTRIBUTES }, 'temporal lets only operators add search attributes');
  }
}
