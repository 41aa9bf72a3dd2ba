// Checks docker-compose.yml without Docker: it parses, every name in it exists, and it contains no secret.
// Run by npm test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { projectFolder } from './setup/folders.mjs';

const wantedServices = ['proxy', 'api', 'worker', 'migrate', 'temporal', 'temporal-ui', 'postgres', 'redis'];
const secrets = ['JWT_SECRET', 'SECRETS_KEY', 'BOOTSTRAP_ADMIN_EMAIL', 'BOOTSTRAP_ADMIN_PASSWORD'];
const replicated = ['api', 'worker'];

/** @type {string[]} */
const problems = [];
const compose = parse(readFileSync(join(projectFolder, 'docker-compose.yml'), 'utf8'), { merge: true });

for (const name of wantedServices) {
  if (!compose.services[name]) problems.push(`the service ${name} is missing`);
}
for (const name of replicated) {
  if (compose.services[name]?.deploy?.replicas !== 2) problems.push(`${name} should run twice`);
  for (const secret of secrets) {
    const value = String(compose.services[name]?.environment?.[secret]);
    if (!value.startsWith(`\${${secret}:?`))
      problems.push(`${name}: ${secret} has to come from the host: \${${secret}:?}`);
  }
}
for (const [name, service] of Object.entries(compose.services)) {
  if (!service.image && !service.build) problems.push(`${name} has neither image nor build`);
  for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
    const target = compose.services[needed];
    if (!target) problems.push(`${name} depends on ${needed}, which does not exist`);
    else if (condition === 'service_healthy' && !target.healthcheck) problems.push(`${needed} has no health check`);
  }
  // An unquoted ": " turns an argument into a mapping.
  for (const argument of [...(service.command ?? []), ...(service.healthcheck?.test ?? [])]) {
    if (typeof argument !== 'string') problems.push(`${name}: the argument ${JSON.stringify(argument)} needs quotes`);
  }
  for (const { source } of service.configs ?? []) {
    if (!compose.configs?.[source]?.content) problems.push(`${name} uses the config ${source}, which does not exist`);
  }
  for (const volume of service.volumes ?? []) {
    const [source] = volume.split(':');
    if (!(source in (compose.volumes ?? {}))) problems.push(`${name} uses the volume ${source}, which does not exist`);
  }
}

for (const problem of problems) console.error(`docker-compose.yml: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
