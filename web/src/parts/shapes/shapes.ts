import type { Model } from '../../app/application.ts';
import { BOARD } from './board.ts';
import { CALENDAR } from './calendar.ts';
import { CHART } from './chart.ts';
import type { Shape } from './shape.ts';

/** The shapes of lists. A new one is a file beside this one, and a line here. */
export const SHAPES: readonly Shape[] = [BOARD, CALENDAR, CHART];

/** The shape of an address, where the records of the model can be shown so. */
export function findShape(code: string | undefined, model: Model): Shape | undefined {
  return SHAPES.find((shape) => shape.code === code && shape.fits(model));
}
