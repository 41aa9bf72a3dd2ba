import type { CallOptions } from '@keelson/client';
import type { Api } from './api.d.ts';
import { client } from './client.ts';

type Route = keyof Api;
type NoNames = Record<string, never>;
type Part<Name extends string, Value> = Value extends NoNames | null
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [K in Name]?: Value }
    : { readonly [K in Name]: Value };
/** Requests without a token do not wait for a log-in. */
interface AskOptions extends CallOptions {
  readonly isPublic?: boolean;
  /** Such as `x-environment`, for what is of another environment than the one of the console. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes a repeat safe. */
  readonly idempotencyKey?: string;
}
type Input<R extends Route> = AskOptions &
  Part<'params', Api[R]['params']> &
  Part<'query', Api[R]['query']> &
  Part<'body', Api[R]['body']>;
type Rest<I> = AskOptions extends I ? [input?: I] : [input: I];

interface AnyInput extends AskOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
}

/** The `data` of any route, by its name in the OpenAPI document. @throws KeelsonError */
export async function ask<R extends Route>(route: R, ...[input]: Rest<Input<R>>): Promise<Api[R]['data']> {
  const [method = '', template = ''] = route.split(' ');
  const { params = {}, ...options } = (input ?? {}) as AnyInput;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return (await client.request<Api[R]['data']>(method, path, options)).data;
}
