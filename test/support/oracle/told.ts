import { allRoutes, nameOf } from '../routes.ts';
import type { TestUser } from '../world.ts';
import type { World } from './worlds.ts';

/** What an answer tells: its text, without what differs from one tenant, time or request to another. */
export interface Told {
  readonly status: number;
  readonly text: string;
  /** As it was answered. */
  readonly raw: string;
}

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly as?: TestUser;
}

/** `GET /path` of the routes that were asked. */
const walked = new Set<string>();
export const walkedRoutes: ReadonlySet<string> = walked;

const HEADERS = ['etag', 'x-total', 'x-prefer', 'x-ignored-params', 'x-data-age', 'content-disposition', 'location'];

/** Asks as the world's blind user. */
export async function ask(
  world: World,
  path: string,
  { body, as = world.blind, ...options }: Asked = {},
): Promise<Told> {
  const method = options.method ?? (body === undefined ? 'GET' : 'POST');
  const headers = { ...options.headers, authorization: `Bearer ${as.token}` };
  if (body !== undefined) Object.assign(headers, { 'content-type': 'application/json' });
  await note(method, path);
  const url = `${process.env.KEELSON_TEST_URL}${path}`;
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const shown = HEADERS.flatMap((name) => response.headers.get(name) ?? []);
  const raw = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return { status: response.status, text: withoutWorld(world, [response.status, ...shown, raw].join('\n')), raw };
}

/** Of an answer that is JSON. */
// oxlint-disable-next-line typescript/no-explicit-any
export function dataOf({ raw }: Told): any {
  return JSON.parse(raw).data;
}

/** Of an answer about the whole configuration, what is about the world's own: other tests change the rest. */
export function aboutThings({ codes }: World, told: Told): Told {
  const isMeant = (value: unknown): boolean => JSON.stringify(value).includes(codes.thing);
  const meant = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter(isMeant);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).filter((member) => isMeant(member));
    return Object.fromEntries(members.map(([name, member]) => [name, meant(member)]));
  };
  return { ...told, text: JSON.stringify(meant(JSON.parse(told.raw))) };
}

export async function note(method: string, path: string): Promise<void> {
  const [asked = ''] = path.split('?');
  // Paths without parameters come first, as they do for the router.
  const routes = (await allRoutes()).filter((route) => route.method === method);
  const found =
    routes.find((route) => route.path === asked) ??
    routes.find((route) => new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(asked));
  if (found) walked.add(nameOf(found));
}

/** A text in which both worlds have the same names. */
export function withoutWorld({ known, tenant }: World, text: string): string {
  // Commands that wait for the same start share a workflow.
  let said = text.replace(/"workflowId":"commands?:\w+"/g, '"workflowId":"<any>"');
  for (const [id, name] of known) said = said.replaceAll(id, `<${name}>`);
  const others = new Map<string, string>();
  const numbered = (id: string): string => {
    if (!others.has(id)) others.set(id, `<pid ${others.size}>`);
    return others.get(id) ?? '';
  };
  return (
    said
      .replace(/[0-9A-HJKMNP-TV-Z]{26}/g, numbered)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/[0-9a-f]{32}/g, '<trace>')
      .replaceAll(`/hook/${tenant.id}`, '/hook')
      .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '<time>')
      .replace(/\b\d{10}(\d{3})?\b/g, '<time>')
      .replace(/<trace>-[0-9a-f]{16}/g, '<trace>')
      // Also in a body that is told as a text.
      .replace(/(\\*")(id|tenant_id|nextCursor|durationMs|ip)\1:(\1)?[^"\\,}]+\3?/g, '$1$2$1:<any>')
      .replaceAll(`"tenantId":"${tenant.id}"`, '"tenantId":"<tenant>"')
      .replaceAll(tenant.name, '<tenant>')
  );
}
