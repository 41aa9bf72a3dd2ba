import { workflowBundle } from '../src/foundation/temporal/workflow-bundle.ts';

/**
 * Bundles and caches the workflows, so that what Temporal's sandbox forbids fails in CI or in an image build.
 */
await workflowBundle();
