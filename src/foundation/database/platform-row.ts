import type { InferEntity } from '@mikro-orm/core';

/**
 * A row of an entity's table as SQL answers it: its properties, timestamps as ISO 8601 text, null for what it
 * lacks.
 */
export type RowOf<Entity> = { readonly [K in PropertyOf<InferEntity<Entity>>]: ValueOf<InferEntity<Entity>[K]> };

/** Symbols are marks of the ORM. */
type PropertyOf<T> = Extract<keyof T, string>;
type ValueOf<T> = T extends Date ? string : T extends undefined ? null : T extends (infer Item)[] ? readonly Item[] : T;
