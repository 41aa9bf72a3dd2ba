import { MAP, mapOf, named, object, oneOf, text } from '../../foundation/validation/schema.ts';

export const STATUS = oneOf(['UP', 'DOWN']);
export const HEALTH = named(
  'Health',
  object({ status: STATUS, components: mapOf(object({ status: STATUS }, { warning: text(), details: MAP })) }),
);
