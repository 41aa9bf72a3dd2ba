// Checks that no rooms lie in circles (see testing/room-circles.mjs): a circle is one thing in several
// places, or one in the wrong place. What two rooms need stands in a third one. Run by npm test.
import { existsSync } from 'node:fs';

import { roomCircles } from './testing/room-circles.mjs';

const circles = ['src', 'cli', 'sdk', 'web'].filter((folder) => existsSync(folder)).flatMap(roomCircles);
for (const { folder, steps } of circles) {
  console.log(`${folder}: ${steps.length} rooms lie in a circle`);
  for (const step of steps) console.log(`  ${step.room}: ${step.import}`);
}
process.exitCode = circles.length === 0 ? 0 : 1;
