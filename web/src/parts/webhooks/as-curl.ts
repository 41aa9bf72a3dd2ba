import type { Delivery } from './webhook-queries.ts';

/** The same request for a terminal: without its signature, which is for this service to make. */
export function asCurl({ request: { url, headers }, body }: Pick<Delivery, 'request' | 'body'>): string {
  const lines = [
    `curl -i -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`  --data-raw ${quoted(body)}`]),
  ];
  return lines.join(' \\\n');
}

/** As a shell takes it whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
