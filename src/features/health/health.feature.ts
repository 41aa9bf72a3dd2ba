import { actuatorEndpoints, aliveEndpoint, publicInfo } from './health.endpoints.ts';
import { hostname } from 'node:os';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { measureOutbox } from '../../platform/events/outbox/outbox-state.ts';
import { HEALTH_TEXTS } from './health.texts.ts';
import { NodeBeats } from './node-beats.ts';
import { operationsEndpoint } from './operations.endpoints.ts';
import { indicators } from './indicators.ts';

/** Whether the program does its work. Spec: `/api/health`, `/actuator`. */
export const health = {
  texts: [HEALTH_TEXTS],

  create(foundation: Foundation, { snapshots, authenticator, health: checks }: Platform) {
    const { config, metrics, database, store, temporal } = foundation;
    const { environment } = config;
    const drain = { draining: false };
    measureOutbox(metrics, database);
    const { version, commit } = publicInfo(config);
    const roles = [...config.roles];
    const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
    const beats = new NodeBeats(store, metrics, {
      host: hostname(),
      pid: process.pid,
      version,
      commit,
      roles,
      startedAt,
    });
    const actuator = actuatorEndpoints({ config, checks, drain, metrics, authenticator });
    return {
      drain,
      version,
      endpoints: [
        aliveEndpoint,
        operationsEndpoint(checks, beats, metrics),
        ...(config.managementPort === null ? actuator : []),
      ],
      open: () => beats.open(),
      close: () => beats.close(),
      managementEndpoints: actuator,
      healthIndicators: indicators({ database, store, snapshots, temporal, environment }, config.health),
    };
  },
};
