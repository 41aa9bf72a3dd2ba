import { lazyPart } from '../loading/lazy-part.tsx';
import { groupableFields } from '../records/grouping.ts';
import type { Shape } from './shape.ts';

/** A figure of each group, drawn, and as a table. */
export const CHART: Shape = {
  code: 'chart',
  name: 'Chart',
  icon: 'chart',
  fits: (model) => groupableFields(model).length > 0,
  Body: lazyPart(() => import('./Chart.tsx')),
};
