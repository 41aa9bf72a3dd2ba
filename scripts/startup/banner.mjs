/**
 * Text after a successful start: URLs, log-ins, and three requests to try.
 * @param {{port: number, consoleUrl?: string | undefined, inspectorPort?: number, temporalUiUrl?: string,
 *   logFile: string, started: string[], readyAfterMs: number, application: string | null}} facts
 *   `application` is a directory, or `demo`; null for none
 * @returns {string}
 */
export function banner({
  port,
  consoleUrl,
  inspectorPort,
  temporalUiUrl,
  logFile,
  started,
  readyAfterMs,
  application,
}) {
  const base = `http://localhost:${port}`;
  const actuator = `http://localhost:${Number(process.env.MANAGEMENT_PORT) || port}/actuator`;
  const stops = started.length ? `the program and what it started (${started.join(', ')})` : 'the program';
  const inspector = inspectorPort ? `\n  Inspector        127.0.0.1:${inspectorPort} (chrome://inspect)` : '';
  return `
Keelson is ready (${(readyAfterMs / 1000).toFixed(1)} s).

  Console          ${consoleUrl ?? `${base}/console`}
  API              ${base}/api
  Health           ${actuator}/health
  Temporal Web UI  ${temporalUiUrl ?? 'not found beside this Temporal server'}${inspector}
  Logs             ${logFile}
                   Warnings and errors are also shown here. Ctrl-C stops ${stops}.

${application === 'demo' ? demoHints(base) : applicationHints(base, application)}`;
}

/** What to do with an application of one's own, or without any. */
function applicationHints(/** @type {string} */ base, /** @type {string | null} */ application) {
  if (application === null) {
    return `There is no application: "npx --offline keelson init ../my-app" makes one. Without a user, set BOOTSTRAP_ADMIN_EMAIL and
BOOTSTRAP_ADMIN_PASSWORD, and start again.
`;
  }
  return `Loaded from ${application}; its log-ins are in data/users.yaml.
From now on: npx --offline keelson watch --dir ${application} --url ${base}
`;
}

function demoHints(/** @type {string} */ base) {
  const json = `-H 'Content-Type: application/json'`;
  const credentials = `{"email":"sales@acme.example","password":"keelson-demo-1"}`;
  return `Demo log-ins, all with the password keelson-demo-1:
  admin@acme.example     platform admin          approver@acme.example  platform admin
  sales@acme.example     CRM commands            viewer@acme.example    reads only
  admin@globex.example   admin of Globex         both@example.com       member of Acme and Globex

Try it in another terminal: log in, list leads, create a lead (twice: the second response is IDEMPOTENT_REPLAY).

JWT=$(curl -s ${base}/api/auth/login ${json} -d '${credentials}' | sed 's/.*"jwt":"\\([^"]*\\)".*/\\1/')
curl -s "${base}/api/dynamic/leads/list?pageSize=3" -H "Authorization: Bearer $JWT"
curl -s ${base}/api/meta/commands/execute/crm:create_lead -H "Authorization: Bearer $JWT" ${json} -H 'X-Idempotent-Key: try-1' -d '{"payload":{"name":"Ada Lovelace","email":"ada@example.com"}}'
`;
}
