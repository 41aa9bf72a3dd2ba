import type { Attack } from './attack.ts';

const DEALS = 400;
const NOTES = '宽'.repeat(100_000);
const LISTS_AT_ONCE = 2;

/** One large record that hundreds of others name, written once for each of them. */
export const sharedRelatedRecord: Attack = {
  name: 'shared-related-record',

  async prepare({ insert }) {
    const [account] = await insert('account', [{ name: 'Shared', code: 'SHARED', notes: NOTES }]);
    const [contact] = await insert('contact', [{ name: 'Shared', account, notes: NOTES }]);
    await insert(
      'deal',
      Array.from({ length: DEALS }, (_, index) => ({ name: `Deal ${index}`, account, contact })),
    );
  },

  async attack(target) {
    const expand = 'expand=account,contact,contact.account';
    await target.atOnce(LISTS_AT_ONCE, { path: `/api/dynamic/deals/list?pageSize=400&${expand}` });
    const body = { pageSize: 400, expand: ['account', 'contact', 'contact.account'] };
    await target.send({ method: 'POST', path: '/api/dynamic/deals/query', body });
    await target.send({
      path: '/api/dynamic/deals/export?format=ndjson&keyword=Deal%201&expand=account,contact,contact.account',
    });
  },
};
