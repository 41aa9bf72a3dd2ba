import { makeWorkflowBundle } from '../src/foundation/temporal/workflow-bundle.ts';

/**
 * Bundles and caches the workflows: what Temporal's sandbox forbids fails in CI or in an image build, and the
 * bundler's memory is not the program's.
 */
await makeWorkflowBundle();
