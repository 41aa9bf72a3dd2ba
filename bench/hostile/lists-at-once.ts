import { modelDrafts, type Attack } from './attack.ts';

const MODEL = 'hostile_large';
const FIELDS = [
  { code: 'name', type: 'string' },
  { code: 'notes', type: 'text' },
];
const RECORDS = 14;
/** A wide character makes a text of Latin ones take two bytes for each. */
const LONG = `宽${'x'.repeat(1_000_000)}`;
const LISTS_AT_ONCE = 6;

/** Lists that are permitted each, asked for at the same time. */
export const listsAtOnce: Attack = {
  name: 'lists-at-once',

  async prepare({ save, insert }) {
    await save(...modelDrafts(MODEL, FIELDS));
    for (let index = 0; index < RECORDS; index += 1) await insert(MODEL, [{ name: `n${index}`, notes: LONG }]);
  },

  async attack(target) {
    await target.atOnce(LISTS_AT_ONCE, { path: `/api/dynamic/${MODEL}/list?pageSize=${RECORDS}` });
  },
};
