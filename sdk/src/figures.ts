import type { AppTypes, Condition, Filter, Filterable, PageKey, SortField, ValueAt } from './app-types.ts';
import type { CallOptions } from './transport.ts';

/** How records are grouped: by a field, or by a part of its date. */
export interface Grouping<A extends AppTypes, P extends PageKey<A>> {
  readonly fieldName: Filterable<A, P>;
  readonly part?: 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour';
  readonly timeZone?: string;
  readonly as?: string;
}

/** What is measured of each group. */
export interface Measure<A extends AppTypes, P extends PageKey<A>> {
  readonly fn: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max';
  readonly fieldName?: Filterable<A, P>;
  readonly as: string;
}

export interface AggregateOptions<A extends AppTypes, P extends PageKey<A>, G, M> extends CallOptions {
  readonly groupBy?: G;
  readonly measures?: M;
  readonly conditions?: readonly Filter<A, P>[];
  readonly keyword?: string;
  readonly having?: readonly Condition[];
  readonly sortFields?: readonly SortField[];
  readonly limit?: number;
}

type NameOf<G> = G extends { readonly as: infer N extends string }
  ? N
  : G extends { readonly fieldName: infer F extends string }
    ? F
    : never;
type GroupValue<A extends AppTypes, P extends PageKey<A>, G> = G extends { readonly part: string }
  ? string | null
  : G extends { readonly fieldName: infer F }
    ? ValueAt<A, P, F> | null
    : never;
/** Counts, sums and averages are digits, as decimals are. */
type MeasureValue<A extends AppTypes, P extends PageKey<A>, M> = M extends { readonly fn: 'count' | 'countDistinct' }
  ? string
  : M extends { readonly fn: 'sum' | 'avg' }
    ? string | null
    : M extends { readonly fieldName: infer F }
      ? ValueAt<A, P, F> | null
      : unknown;

/** The figures of a group, by the names that were asked for. */
export type FigureRow<
  A extends AppTypes,
  P extends PageKey<A>,
  G extends readonly unknown[],
  M extends readonly unknown[],
> = [...G, ...M] extends readonly []
  ? Readonly<Record<string, unknown>>
  : { readonly [One in G[number] as NameOf<One>]: GroupValue<A, P, One> } & {
      readonly [One in M[number] as NameOf<One>]: MeasureValue<A, P, One>;
    };

export interface Figures<Row = Readonly<Record<string, unknown>>> {
  readonly rows: readonly Row[];
  /** There are more groups than `limit`. */
  readonly truncated: boolean;
}
