import { languageOf } from '../../../foundation/http/language.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { ANYTHING } from '../../../foundation/validation/schema.ts';
import { endpoint, PUBLIC, type Endpoint } from '../requests/endpoint.ts';
import { RESET_SCRIPT, RESET_STYLE, resetPage, sendPart } from './reset-page.ts';

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
