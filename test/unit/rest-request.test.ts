import { fillRequest } from '../../src/features/datasources/rest/rest-request.ts';
import type { RestSource } from '../../src/features/datasources/rest/rest-content.ts';
import type { ApplicationError } from '../../src/foundation/errors/application-error.ts';
import { inEnglish } from '../support/in-english.ts';

const source = (content: Partial<RestSource>): RestSource => ({
  name: 'A service',
  kind: 'rest',
  url: 'https://service.example/rows',
  ...content,
});
const SECRETS = new Map([['KEY', 'a secret']]);
const fill = (content: Partial<RestSource>, params: Record<string, unknown>) =>
  fillRequest(source(content), SECRETS, params);

function problemsOf(content: Partial<RestSource>, params: Record<string, unknown>): unknown {
  try {
    fill(content, params);
    return null;
  } catch (error) {
    return inEnglish((error as ApplicationError).data?.fieldErrors);
  }
}

describe('the request of a REST data source', () => {
  it('has params in URL, query, headers and body, each encoded as its place asks', () => {
    const value = 'a/b?c=d&e#f "g" {{secret:KEY}}';
    const request = fill(
      {
        url: 'https://service.example/of/{{param:x}}/rows?in={{param:x}}',
        method: 'POST',
        query: { q: 'x={{param:x}}', key: '{{secret:KEY}}' },
        headers: { 'X-Of': '{{param:x}}', Authorization: 'Bearer {{secret:KEY}}' },
        body: { of: '{{param:x}}', text: 'for {{param:x}}', list: ['{{param:n}}', 1], rest: '{{param:j}}' },
      },
      { x: value, n: 7, j: { a: [1] } },
    );

    const url = new URL(request.url);
    expect(url.pathname).toBe(`/of/${encodeURIComponent(value)}/rows`);
    expect([...url.searchParams]).toEqual([
      ['in', value],
      ['q', `x=${value}`],
      ['key', 'a secret'],
    ]);
    expect(request.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'X-Of': value,
      Authorization: 'Bearer a secret',
    });
    expect(JSON.parse(request.body ?? '')).toEqual({ of: value, text: `for ${value}`, list: [7, 1], rest: { a: [1] } });
  });

  it('leaves out what is a param without a value, and writes null into the body', () => {
    const request = fill(
      {
        method: 'POST',
        query: { a: '{{param:x}}', b: 'b{{param:x}}' },
        headers: { 'x-a': '{{param:x}}' },
        body: { a: '{{param:x}}' },
      },
      { x: null },
    );
    expect(request).toMatchObject({ url: 'https://service.example/rows?b=b', body: '{"a":null}' });
    expect(request.headers).not.toHaveProperty('x-a');
  });

  it.each([['..'], ['.'], ['']])('refuses a value that would lead to another path: %j', (value) => {
    const url = 'https://service.example/rows/{{param:x}}/of/{{param:y}}';
    expect(problemsOf({ url }, { x: value, y: 'b' })).toEqual({ 'params.x': 'cannot be a part of the path of a URL' });
    expect(problemsOf({ url: `${url}{{param:x}}` }, { x: '.', y: '.' })).toHaveProperty(['params.y']);
    expect(problemsOf({ url }, { x: '...', y: '%2e%2e' })).toBeNull();
  });

  it.each([['a\r\nx-more: 1'], ['日本'], ['a\0']])('refuses a value that cannot stand in a header: %j', (value) => {
    expect(problemsOf({ headers: { 'x-of': 'b {{param:x}}' } }, { x: value })).toEqual({
      'params.x': 'cannot stand in a header',
    });
  });

  it('refuses values that make the URL too long', () => {
    expect(problemsOf({ url: 'https://service.example/?q={{param:x}}' }, { x: 'x'.repeat(3_000) })).toEqual({
      'params.x': 'must not be longer than 2048 characters',
    });
  });
});
