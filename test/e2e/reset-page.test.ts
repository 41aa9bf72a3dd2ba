const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${process.env.KEELSON_TEST_URL ?? ''}${path}`, { headers });

describe('GET /reset-password', () => {
  it('is a page of the program itself, in the language of the reader', async () => {
    const page = await get('/reset-password');
    const html = await page.text();

    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('Choose a new password');
    expect(await (await get('/reset-password', { 'Accept-Language': 'zh-CN' })).text()).toContain('设置新密码');
  });

  it('takes nothing from elsewhere and nothing inline, and is kept and referred to by nothing', async () => {
    const page = await get('/reset-password');
    const html = await page.text();

    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(html).not.toMatch(/https?:\/\/|<style|\son\w+=|<script>/);
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(parts).toEqual(['/reset-password/page.css', '/reset-password/page.js']);
    for (const part of parts) expect((await get(part)).status).toBe(200);
  });

  it('confirms the reset with the token of the link, which leaves the address first', async () => {
    const script = await (await get('/reset-password/page.js')).text();

    expect(script).toContain("fetch('/api/auth/password-reset/confirm'");
    expect(script.indexOf('replaceState')).toBeLessThan(script.indexOf('fetch('));
    expect(script).not.toContain('innerHTML');
    expect((await get('/reset-password/nothing.js')).status).toBe(404);
  });
});
