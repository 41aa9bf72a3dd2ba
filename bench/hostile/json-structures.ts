import { modelDrafts, type Attack } from './attack.ts';

const MODEL = 'hostile_json';
const FIELDS = [
  { code: 'name', type: 'string' },
  { code: 'data', type: 'json' },
];
const RECORDS = 40;
/** Three characters each, which take twenty times as much when they are parsed. */
const EMPTY_LISTS = Array.from({ length: 90_000 }, () => []);
const LISTS_AT_ONCE = 6;

/** Small JSON values that are large once they have been read. */
export const jsonStructures: Attack = {
  name: 'json-structures',

  async prepare({ save, insert }) {
    await save(...modelDrafts(MODEL, FIELDS));
    for (let index = 0; index < RECORDS; index += 1) await insert(MODEL, [{ name: `n${index}`, data: EMPTY_LISTS }]);
  },

  async attack(target) {
    await target.atOnce(LISTS_AT_ONCE, { path: `/api/dynamic/${MODEL}/list?pageSize=${RECORDS}` });
    await target.atOnce(LISTS_AT_ONCE, { path: `/api/dynamic/${MODEL}/list?pageSize=8` });
  },
};
