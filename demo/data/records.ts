import { createHash } from 'node:crypto';
import { encodeTime } from 'ulid';
import { Dice } from './dice.ts';
import { at, person } from './people.ts';
import { dialling, phrases, wordsOf, type Company, type Words } from './words.ts';

/** Record with every field of its model (null if empty), its pid and its time of creation. */
type DemoRecord = Record<string, unknown> & { pid: string; created_at: string };

const DAY_MS = 24 * 60 * 60 * 1000;
const HISTORY_DAYS = 90;
const COUNTS = { contact: 40, lead: 60, deal: 25, task: 30 } as const;

/**
 * The demo's records of one tenant: model code -> records. Relations refer to earlier models only. The same
 * tenant and time give the same records; pids do not depend on the time.
 * @param now the end of the 90 days over which the records are spread
 */
export default function demoRecords(tenantId: string, now: Date): Map<string, DemoRecord[]> {
  const world: World = { tenantId, now: now.getTime(), words: wordsOf(tenantId) };
  const accounts = world.words.companies.map((_, index) => account(world, index));
  const contacts = times(COUNTS.contact, (index) => contact(world, index, accounts));
  const leads = times(COUNTS.lead, (index) => lead(world, index, accounts));
  const converted = leads.filter(({ status }) => status === 'won');
  const dealsAndLines = times(COUNTS.deal, (index) => deal(world, index, accounts, contacts, converted[index]));
  const deals = dealsAndLines.map(([one]) => one);
  for (const won of deals.filter(({ stage }) => stage === 'won')) becomeCustomer(world, accounts, won);
  const tasks = times(COUNTS.task, (index) => task(world, index, leads, deals, contacts));
  return new Map<string, DemoRecord[]>([
    ['account', accounts],
    ['contact', contacts],
    ['lead', leads],
    ['deal', deals],
    ['deal_line', dealsAndLines.flatMap(([, lines]) => lines)],
    ['task', tasks],
  ]);
}

interface World {
  readonly tenantId: string;
  /** Milliseconds. */
  readonly now: number;
  readonly words: Words;
}

type Account = ReturnType<typeof account>;
type Contact = ReturnType<typeof contact>;
type Lead = ReturnType<typeof lead>;
type Deal = ReturnType<typeof deal>[0];

function account(world: World, index: number) {
  const { pid, dice } = identity(world, 'account', index);
  const { words } = world;
  const [name, webName, country, industry, city] = at(words.companies, index);
  const created = daysAgo(world, HISTORY_DAYS - index * 2.5 - dice.share());
  const status = dice.pick(['customer', 'customer', 'prospect', 'prospect', 'prospect', 'former']);
  const customerFor = status === 'prospect' ? null : dice.int(120, 2500);
  const employees = dice.maybe(0.85, Math.round(dice.scale(8, 4000)));
  return {
    pid,
    created_at: iso(created),
    name,
    code: status === 'prospect' ? null : customerNumber(words, index),
    status,
    industry,
    website: dice.maybe(0.9, `https://www.${webName}.example`),
    email: dice.maybe(0.8, `office@${webName}.example`),
    phone: dice.maybe(0.7, phone(dice, country)),
    employees,
    annual_revenue: employees === null ? null : String(employees * dice.int(90, 310) * 1000),
    key_account: employees !== null && employees > 900,
    billing_address: dice.maybe(0.85, {
      street: `${dice.pick(['Station Road', 'Harbour Street', 'Market Square', 'Mill Lane'])} ${dice.int(1, 180)}`,
      postal_code: String(dice.int(10_000, 99_999)),
      city,
      country,
    }),
    owner: dice.maybe(0.95, dice.pick(words.owners)),
    customer_since: customerFor === null ? null : day(daysAgo(world, customerFor)),
    last_contact_at: dice.maybe(0.7, iso(between(dice, created, world.now))),
    notes: dice.maybe(0.3, dice.pick(phrases.accountNotes)),
  };
}

function contact(world: World, index: number, accounts: readonly Account[]) {
  const { pid, dice } = identity(world, 'contact', index);
  const { words } = world;
  // Every account has a contact before the larger ones get more; a few contacts have no account.
  const employer = index < accounts.length ? accounts[index] : dice.maybe(0.75, dice.pick(accounts.slice(0, 12)));
  const since = employer ? Date.parse(employer.created_at) : daysAgo(world, 80);
  const until = index < accounts.length ? since + DAY_MS / 2 : world.now;
  const [, webName, country] = employer ? companyOf(words, accounts, employer) : ['', 'mail'];
  const { name, handle, language, country: home } = person(words, index, country);
  return {
    pid,
    created_at: iso(between(dice, since, Math.min(world.now, until))),
    name,
    email: dice.maybe(0.9, `${handle}@${webName}.example`),
    phone: dice.maybe(0.7, phone(dice, home)),
    job_title: dice.maybe(0.85, dice.pick(phrases.jobTitles)),
    account: employer?.pid ?? null,
    language: dice.maybe(0.8, language),
    do_not_call: dice.share() < 0.1,
    birthday: dice.maybe(0.25, day(daysAgo(world, dice.int(24 * 365, 63 * 365)))),
    owner: employer?.owner ?? dice.maybe(0.5, dice.pick(words.owners)),
    notes: dice.maybe(0.2, dice.pick(phrases.contactNotes)),
  };
}

function lead(world: World, index: number, accounts: readonly Account[]) {
  const { pid, dice } = identity(world, 'lead', index);
  const { words } = world;
  const created = daysAgo(world, ((COUNTS.lead - index - dice.share()) * HISTORY_DAYS) / COUNTS.lead);
  const older = accounts.filter(({ created_at }) => Date.parse(created_at) < created);
  const age = (world.now - created) / DAY_MS;
  const status = older.length === 0 ? 'open' : leadStatus(dice, age);
  const known = older.length > 0 && (status === 'won' || dice.share() < 0.25) ? dice.pick(older) : null;
  const closed = status === 'won' || status === 'lost';
  // Every sixth lead is a company without a known person.
  const nameless = index % 6 === 5 && !known;
  const [company, webName, country] = known ? companyOf(words, accounts, known) : at(words.prospects, index);
  const someone = person(words, COUNTS.contact + index, country);
  return {
    pid,
    created_at: iso(created),
    name: nameless ? company : someone.name,
    status,
    email: dice.maybe(0.9, nameless ? `hello@${webName}.example` : `${someone.handle}@${webName}.example`),
    phone: dice.maybe(0.6, phone(dice, someone.country)),
    amount: dice.maybe(status === 'new' ? 0.6 : 0.95, money(Math.round(dice.scale(40, 18_000)) * 1000)),
    score: dice.maybe(status === 'new' ? 0.5 : 0.95, dice.int(status === 'won' ? 55 : 5, status === 'lost' ? 60 : 98)),
    source: dice.maybe(0.95, dice.pick(phrases.leadSources)),
    owner: dice.maybe(status === 'new' ? 0.5 : 1, dice.pick(words.owners)),
    account: known?.pid ?? null,
    notes: dice.maybe(0.55, `Interested in ${dice.pick(words.interests)}.`),
    due_on: closed ? null : dice.maybe(0.8, day(world.now + dice.int(-6, 30) * DAY_MS)),
  };
}

/** Older leads are more often closed. */
function leadStatus(dice: Dice, ageInDays: number): 'new' | 'open' | 'won' | 'lost' {
  if (ageInDays < 12) return dice.pick(['new', 'new', 'new', 'open']);
  if (ageInDays < 30) return dice.pick(['new', 'open', 'open', 'open', 'lost', 'won']);
  return dice.pick(['open', 'open', 'won', 'lost', 'lost', 'won', 'new']);
}

/** @param from the lead that was converted to the deal, if any */
function deal(world: World, index: number, accounts: readonly Account[], contacts: readonly Contact[], from?: Lead) {
  const { pid, dice } = identity(world, 'deal', index);
  const { words } = world;
  const client = accounts.find(({ pid: one }) => one === from?.account) ?? dice.pick(accounts.slice(0, 20));
  const partner = contacts.find(({ account: employer }) => employer === client.pid);
  const since = Math.max(
    ...[from, client, partner].map((earlier) => Date.parse(earlier?.created_at ?? client.created_at)),
  );
  const created = between(dice, since, Math.min(world.now, since + (from ? 20 : 60) * DAY_MS));
  const ageInDays = (world.now - created) / DAY_MS;
  const stage = dice.pick(ageInDays > 25 ? LATE_STAGES : EARLY_STAGES);
  const closed = stage === 'won' || stage === 'lost';
  const closing = closed ? between(dice, created, world.now) : world.now + dice.int(-4, 75) * DAY_MS;
  const lines = times(dice.pick([0, 1, 1, 2, 3]), (position) =>
    dealLine(world, pid, index, position, created, closing),
  );
  const cents = lines.reduce(
    (sum, line) => sum + Number(line.unit_price) * Number(line.quantity) * (100 - Number(line.discount_percent)),
    0,
  );
  const record = {
    pid,
    created_at: iso(created),
    name: `${client.name}: ${lines[0]?.product ?? dice.pick(words.products)[0]}`,
    stage,
    amount: lines.length > 0 ? money(cents) : (from?.amount ?? dice.maybe(0.7, money(dice.int(20, 900) * 10_000))),
    currency: dice.pick(words.currencies),
    probability: dice.maybe(0.9, PROBABILITIES[stage]),
    close_on: dice.maybe(closed ? 1 : 0.85, day(closing)),
    account: client.pid,
    contact: partner?.pid ?? null,
    lead: from?.pid ?? null,
    owner: from?.owner ?? client.owner,
    lost_reason: stage === 'lost' ? dice.pick(['price', 'competitor', 'timing', 'no_budget', 'no_answer']) : null,
    notes: from?.notes ?? null,
  };
  return [record, lines] as const;
}

function dealLine(world: World, deal: string, dealIndex: number, index: number, from: number, closing: number) {
  const { pid, dice } = identity(world, 'deal_line', dealIndex * 10 + index);
  const [product, sku, cents] = at(world.words.products, dealIndex * 3 + index);
  return {
    pid,
    created_at: iso(between(dice, from, Math.min(world.now, from + DAY_MS))),
    deal,
    position: index + 1,
    product,
    sku,
    quantity: String(cents > 400_000 ? dice.int(1, 3) : dice.int(1, 24)),
    unit_price: money(cents),
    discount_percent: dice.pick(['0', '0', '0', '5', '12.5']),
    delivery_on: dice.maybe(0.6, day(closing + dice.int(14, 90) * DAY_MS)),
  };
}

/** Makes the account of a won deal a customer. */
function becomeCustomer({ words }: World, accounts: readonly Account[], won: Deal): void {
  const index = accounts.findIndex(({ pid }) => pid === won.account);
  const client = at(accounts, index);
  client.status = 'customer';
  client.code ??= customerNumber(words, index);
  client.customer_since ??= won.close_on;
}

function task(
  world: World,
  index: number,
  leads: readonly Lead[],
  deals: readonly Deal[],
  contacts: readonly Contact[],
) {
  const { pid, dice } = identity(world, 'task', index);
  const ofLead = index % 3 === 0 ? dice.pick(leads.filter(({ status }) => status !== 'lost')) : null;
  const ofDeal = index % 3 === 1 ? dice.pick(deals) : null;
  const ofContact = index % 6 === 2 ? dice.pick(contacts) : null;
  const about = ofLead ?? ofDeal ?? ofContact;
  const created = between(dice, about ? Date.parse(about.created_at) : daysAgo(world, 40), world.now);
  const status = dice.pick(['open', 'open', 'open', 'in_progress', 'done', 'done', 'cancelled']);
  const ended = status === 'done' || status === 'cancelled';
  const due = ended ? between(dice, created, world.now) : world.now + dice.int(-5, 21) * DAY_MS;
  return {
    pid,
    created_at: iso(created),
    subject: about ? `${dice.pick(phrases.taskSubjects)} ${about.name}` : dice.pick(phrases.officeTasks),
    status,
    priority: dice.pick(['low', 'normal', 'normal', 'normal', 'high']),
    due_on: dice.maybe(0.9, day(due)),
    remind_at: ended ? null : dice.maybe(0.5, `${day(due)}T08:00:00.000Z`),
    assignee: about?.owner ?? dice.pick(world.words.owners),
    lead: ofLead?.pid ?? null,
    deal: ofDeal?.pid ?? null,
    contact: ofContact?.pid ?? ofDeal?.contact ?? null,
    account: about && 'account' in about ? about.account : null,
    checklist: dice.maybe(
      0.3,
      phrases.checklist.map((text, step) => ({ text, done: status === 'done' || step === 0 })),
    ),
    notes: null,
  };
}

const LATE_STAGES = ['won', 'won', 'lost', 'negotiation', 'proposal'] as const;
const EARLY_STAGES = ['qualification', 'qualification', 'proposal', 'negotiation', 'won'] as const;
const PROBABILITIES = { qualification: 20, proposal: 45, negotiation: 70, won: 100, lost: 0 } as const;

function customerNumber({ customerPrefix }: Words, index: number): string {
  return `${customerPrefix}-${1001 + index * 7}`;
}

function companyOf({ companies }: Words, accounts: readonly Account[], one: Account): Company {
  return at(companies, accounts.indexOf(one));
}

function phone(dice: Dice, country: string): string {
  return `${dialling[country]} ${dice.int(100, 999)} ${dice.int(1000, 9999)}`;
}

function money(cents: number): string {
  return (Math.round(cents) / 100).toFixed(2);
}

function daysAgo({ now }: World, days: number): number {
  return now - days * DAY_MS;
}

function between(dice: Dice, from: number, to: number): number {
  return from + dice.share() * Math.max(0, to - from);
}

function iso(time: number): string {
  return new Date(Math.floor(time / 1000) * 1000).toISOString();
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PIDS_BEGIN = Date.UTC(2026, 0, 1);

/** A record's pid and random numbers, which do not depend on other records. */
function identity({ tenantId }: World, modelCode: string, index: number): { pid: string; dice: Dice } {
  const hash = createHash('sha256').update(`keelson demo ${tenantId} ${modelCode} ${index}`).digest();
  const random = [...hash.subarray(0, 16)].map((byte) => CROCKFORD[byte % 32]).join('');
  return { pid: `${encodeTime(PIDS_BEGIN + index * 1000, 10)}${random}`, dice: new Dice(hash.readUInt32LE(16)) };
}
