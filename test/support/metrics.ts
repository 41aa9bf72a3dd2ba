/** The metrics in Prometheus' text format. */
export async function scrape(token?: string, baseUrl = process.env.KEELSON_TEST_URL): Promise<Response> {
  return fetch(`${baseUrl}/actuator/prometheus`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
}

/** The value of one metric with these labels, 0 where it has not been counted yet. */
export async function valueOf(
  name: string,
  labels: Record<string, string>,
  token?: string,
  url?: string,
): Promise<number> {
  const text = await (await scrape(token, url)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split('\n')
    .find((it) => /^[^{ ]+/.exec(it)?.[0] === name && wanted.every((pair) => it.includes(pair)));
  return Number(line?.split(' ').at(-1) ?? 0);
}
