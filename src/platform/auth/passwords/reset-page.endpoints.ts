import { languageOf } from '../../../foundation/http/language.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { ANYTHING } from '../../../foundation/validation/schema.ts';
import { endpoint, PUBLIC, type Endpoint } from '../requests/endpoint.ts';
import { customReply, type CustomReply } from '../../../foundation/http/reply.ts';
import type { Message } from '../../../foundation/i18n/text.ts';

/** Nothing from elsewhere, nothing inline: the page holds a token that is worth a password. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const RESET_STYLE = `body { font: 1rem/1.5 system-ui, sans-serif; margin: 10vh auto; max-width: 24rem; padding: 0 1rem; }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
input, button { margin: 0.25rem 0 1rem; padding: 0.5rem; }
`;

/** The token leaves the address at once, so that the browser's history does not keep it. */
const RESET_SCRIPT = `const form = document.querySelector('form');
const message = document.querySelector('output');
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const say = (text) => { message.textContent = text; };
if (!token) { form.hidden = true; say(message.dataset.incomplete); }
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const response = await fetch('/api/auth/password-reset/confirm', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, newPassword: form.elements.password.value }),
    });
    const { message: problem, data } = await response.json();
    if (response.ok) { form.hidden = true; say(message.dataset.done); return; }
    const { newPassword } = (data && data.fieldErrors) || {};
    say(newPassword || problem);
  } catch {
    say(message.dataset.failed);
  }
  button.disabled = false;
});
`;

/** @param translate gives a text in the reader's language */
function resetPage(locale: string, translate: (text: Message) => string): string {
  const say = (text: Message): string => escape(translate(text));
  const incomplete = say('The link is not complete: open it again from the e-mail');
  const done = say('Your password is changed. You can log in with it now.');
  const failed = say('The server does not answer: try again');
  return `<!doctype html>
<html lang="${escape(locale)}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${say('Choose a new password')}</title>
    <link rel="stylesheet" href="/reset-password/page.css" />
  </head>
  <body>
    <h1>${say('Choose a new password')}</h1>
    <form>
      <label for="password">${say('New password, 12 to 128 characters')}</label>
      <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="128" required />
      <button>${say('Save')}</button>
    </form>
    <output role="status" data-incomplete="${incomplete}" data-done="${done}" data-failed="${failed}"></output>
    <script src="/reset-password/page.js"></script>
  </body>
</html>
`;
}

function sendPart(type: string, content: string): CustomReply {
  return customReply((response) => {
    response.set({
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
    response.end(content);
  });
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const PATH = '/reset-password';
const tag = 'Authentication';

/** The page that the link of a reset e-mail opens, with `PUBLIC_URL` at this program. */
export function resetPageEndpoints(): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      access: PUBLIC,
      tag,
      summary: 'The page on which a new password is chosen',
      data: ANYTHING,
      media: { type: 'text/html', description: 'A page' },
      handle({ request }) {
        const { locale, translate } = languageOf(request);
        return sendPart('text/html', resetPage(locale, translate));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/:file`,
      access: PUBLIC,
      tag,
      summary: 'What the page is made of',
      data: ANYTHING,
      media: { type: '*/*', description: 'A script or a style sheet' },
      errors: ['NOT_FOUND'],
      handle({ params: { file } }) {
        if (file === 'page.js') return sendPart('text/javascript', RESET_SCRIPT);
        if (file === 'page.css') return sendPart('text/css', RESET_STYLE);
        throw notFound('There is nothing at this path');
      },
    }),
  ];
}
