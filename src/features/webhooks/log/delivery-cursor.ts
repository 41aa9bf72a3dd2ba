import { textOf } from '../../../foundation/validation/formats.ts';

/** Where a list of deliveries goes on; empty to begin. */
export const DELIVERY_CURSOR = textOf('delivery-cursor', problemOf, {
  minLength: 0,
  description: '`nextCursor` of the list before; empty to begin',
});

/** @param id of the delivery after which the list goes on */
export function toCursor(id: string): string {
  return Buffer.from(`d${id}`).toString('base64url');
}

/** The id that is in a cursor that was found good; null for the empty one. */
export function idIn(cursor: string): string | null {
  return cursor === '' ? null : textIn(cursor).slice(1);
}

function problemOf(cursor: string): string | null {
  return cursor === '' || /^d[1-9]\d{0,17}$/.test(textIn(cursor)) ? null : 'is not one that this list has given';
}

function textIn(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}
