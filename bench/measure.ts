import { logIn } from './api-session.ts';
import { describeMachine } from './machine.ts';
import { measureScenarios } from './measure-scenarios.ts';
import { writeDocument } from './report.ts';
import { scenarios } from './scenarios.ts';
import { readSettings, requiredUrl } from './settings.ts';

const servers = {
  api: requiredUrl('BENCH_API_URL'),
  sql: requiredUrl('BENCH_SQL_URL'),
  workflow: requiredUrl('BENCH_WORKFLOW_URL'),
};
const all = scenarios(servers, await logIn(servers.api));
const settings = readSettings(process.env, all);
const { results, busyBeside } = await measureScenarios(all, settings);
if (settings.complete) await writeDocument(results, settings, await describeMachine(), busyBeside);
else console.log('\n  A shortened run: docs/benchmarks.md is not written.');
