import { workflowBundle } from '../src/workflow-bundle.ts';

/**
 * Bundles the workflows as a worker does at its first start, and keeps the bundle for it: what Temporal's sandbox forbids fails
 * here, in CI or in the making of an image, instead of there.
 */
await workflowBundle();
