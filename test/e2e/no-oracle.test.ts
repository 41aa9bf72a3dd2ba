import { configurationOver } from '../support/oracle/configuration.ts';
import { eventWays } from '../support/oracle/event-ways.ts';
import { READ_WAYS, type Way } from '../support/oracle/read-ways.ts';
import { ask, walkedRoutes } from '../support/oracle/told.ts';
import { SECRETS, twinWorlds, type World } from '../support/oracle/worlds.ts';
import { WRITE_WAYS } from '../support/oracle/write-ways.ts';
import { Receiver } from '../support/receiver.ts';
import { allRoutes, isPublic, nameOf } from '../support/routes.ts';

let worlds: World[];
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  worlds = await twinWorlds(configurationOver);
});

/** The answers in both worlds. */
async function tellsInBoth(go: Way[1]): Promise<string[]> {
  const told: string[] = [];
  for (const world of worlds) {
    const answers = [await go(world)].flat();
    for (const { status, raw } of answers) {
      expect(status).toBeLessThan(500);
      expect(raw).not.toMatch(/zebra 911(?!")|north [01]/);
    }
    told.push(answers.map(({ text }) => text).join('\n'));
  }
  return told;
}

describe('two tenants that differ in the values of hidden fields', () => {
  it('are told apart by who may read them', async () => {
    const [one, other] = await Promise.all(
      worlds.map((world) => ask(world, `/api/dynamic/${world.codes.thing}/list`, { as: world.sighted })),
    );

    expect(one?.text).toContain(SECRETS.secret);
    expect(one?.text).not.toBe(other?.text);
  });

  describe('are told alike to who may not', () => {
    it.each(READ_WAYS)('by %s', async (_what, go) => {
      const [one, other] = await tellsInBoth(go);
      expect(one).toBe(other);
    });
    it.each(WRITE_WAYS)('by %s', async (_what, go) => {
      const [one, other] = await tellsInBoth(go);
      expect(one).toBe(other);
    });
    it('by events, runs and assistants', async () => {
      const differing: string[] = [];
      for (const [what, go] of eventWays(receiver)) {
        const [one, other] = await tellsInBoth(go);
        if (one !== other) differing.push(`${what}\n${one}\n${other}`);
      }
      expect(differing).toEqual([]);
    });
  });
});

/** Routes that the walk leaves out, and why they tell nothing of hidden values. */
const APART: readonly (readonly [path: RegExp, why: string])[] = [
  [/ \/api\/auth\//, 'the own account'],
  [/ \/api\/admin\//, 'administration'],
  [/^POST \/api\/files$/, 'takes a file'],
  [/^GET \/api\/dynamic\/:pageKey\/imports\/columns$/, 'the columns of a file of the own'],
  [/^GET \/api\/dynamic\/:pageKey\/:recordId\/stream$/, 'versions, their times and who has made them: as the history'],
  [/ \/api\/im\//, 'channels, and the answers of assistants once more'],
  [/^GET \/api\/ai\/:assistant\/chat\/stream$/, 'the answers of assistants once more'],
  [/^POST \/api\/ai\/conversations\/:id\/(confirm|stop)$/, 'goes on with an answer, or ends it'],
  [/^POST \/api\/webhooks\/:pid\/(enable|disable|rotate-secret|adopt)$/, 'the state of a subscription'],
  [/^GET \/api\/webhooks\/:pid\/metrics$/, 'numbers of deliveries and their times'],
  [/^POST \/api\/webhooks\/deliveries\/:pid\/cancel$/, 'ends a delivery'],
  [/^GET \/api\/meta\/temporal$/, 'where workflows are looked at'],
  [/^POST \/api\/automations\/runs\/:runPid\/retry$/, 'goes on with a run'],
];

describe('every route that needs no right of an administrator', () => {
  it('is asked in both worlds, or known to tell nothing of records', async () => {
    const routes = (await allRoutes()).filter((route) => !isPublic(route) && !route.access.some(isOfAdmins));
    const names = routes.map(nameOf).filter((name) => !APART.some(([path]) => path.test(name)));

    expect(names.filter((name) => !walkedRoutes.has(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(40);
  });
});

function isOfAdmins(code: string): boolean {
  return code.startsWith('admin:') || code.startsWith('audit:');
}
