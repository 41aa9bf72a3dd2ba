import { lazyPart } from '../loading/lazy-part.tsx';
import type { Shape } from './shape.ts';
import { stateFields } from './shape-fields.ts';

/** A column for each value of an enum. */
export const BOARD: Shape = {
  code: 'board',
  name: 'Board',
  icon: 'board',
  fits: (model) => stateFields(model).length > 0,
  Body: lazyPart(() => import('./Board.tsx')),
};
