import { actuatorEndpoints, aliveEndpoint, publicInfo } from './health.endpoints.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { measureOutbox } from '../../platform/events/outbox/outbox-state.ts';
import { HEALTH_TEXTS } from './health.texts.ts';
import { indicators } from './indicators.ts';

/** Whether the program does its work. Spec: `/api/health`, `/actuator`. */
export const health = {
  texts: [HEALTH_TEXTS],

  create(foundation: Foundation, { snapshots, authenticator, health: checks }: Platform) {
    const { config, metrics, database, store, temporal } = foundation;
    const { environment } = config;
    const drain = { draining: false };
    measureOutbox(metrics, database);
    const actuator = actuatorEndpoints({ config, checks, drain, metrics, authenticator });
    return {
      drain,
      version: publicInfo(config).version,
      endpoints: config.managementPort === null ? [aliveEndpoint, ...actuator] : [aliveEndpoint],
      managementEndpoints: actuator,
      healthIndicators: indicators({ database, store, snapshots, temporal, environment }, config.health),
    };
  },
};
