import { modelDrafts, type Attack } from './attack.ts';

const MODEL = 'hostile_echo';
const FIELDS = [
  { code: 'name', type: 'string' },
  { code: 'data', type: 'json' },
];
const UPDATES = 100;
let pid = '';

/** Small changes of one large record: each would read it, keep it and answer it whole. */
export const echoedWrites: Attack = {
  name: 'echoed-writes',

  async prepare({ save, insert }) {
    await save(...modelDrafts(MODEL, FIELDS));
    [pid = ''] = await insert(MODEL, [{ name: 'n', data: 'x'.repeat(800_000) }]);
  },

  async attack(target) {
    const item = (name: string) => ({ operationType: 'UPDATE', targetRecordId: pid, payload: { name } });
    const items = Array.from({ length: UPDATES }, (_, index) => item(`n${index}`));
    const path = `/api/meta/commands/execute/hostile:${MODEL}/batch`;
    await Promise.all(
      ['atomic', 'partial'].map((mode) => target.send({ method: 'POST', path, body: { mode, items } })),
    );
  },
};
