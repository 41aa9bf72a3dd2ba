import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Bundles the workflows as a worker does at start: what Temporal's sandbox forbids fails here, in CI, instead of there. */
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
});
console.log(`the workflows bundle has ${Math.round(code.length / 1024)} KiB`);
