/** The files of the renderer (swagger-ui-dist) that the page needs, and what they are. */
export const ASSETS: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Keelson: REST API</title>
    <link rel="stylesheet" href="/api/docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/api/docs/favicon-32x32.png" />
  </head>
  <body>
    <noscript>This page needs JavaScript. The same as data: <a href="/api/openapi.json">/api/openapi.json</a></noscript>
    <div id="docs"></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Tokens stay in the page's memory: `persistAuthorization` would leave them in the browser. No validator
 * elsewhere is asked.
 */
export const START_SCRIPT = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  showExtensions: true,
  tagsSorter: 'alpha',
  persistAuthorization: false,
  validatorUrl: null,
});
`;
