import { lazyPart } from '../loading/lazy-part.tsx';
import type { Shape } from './shape.ts';
import { dayFields } from './shape-fields.ts';

/** A month, with the records of each of its days. */
export const CALENDAR: Shape = {
  code: 'calendar',
  name: 'Calendar',
  icon: 'calendar',
  fits: (model) => dayFields(model).length > 0,
  Body: lazyPart(() => import('./Calendar.tsx')),
};
