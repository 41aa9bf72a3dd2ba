import { queryOptions } from '@tanstack/react-query';
import { KeelsonError } from '@keelson/client';
import {
  findModel,
  findPage,
  nameField,
  type Application,
  type Me,
  type Page,
  type RecordData,
} from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { t } from '../../app/texts.ts';
import { isForList } from '../../parts/commands/command-fields.ts';
import { sectionsFor, type SectionPath } from './sections.ts';

/** Something to go to. */
export interface SearchResult {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly to: Target;
}

/** A page with what is open on it, or another screen. */
export type Target =
  | { readonly pageKey: string; readonly open?: string; readonly run?: string }
  | { readonly dashboard: string }
  | { readonly screen: '/work' | '/account' | SectionPath };

/** What was found, though a page may have failed. */
interface FoundRecords {
  readonly records: readonly SearchResult[];
  readonly failure: Error | undefined;
}

const RECORDS_OF_A_PAGE = 4;
/** Pages whose records are looked into at once. */
const MAX_PAGES = 8;
const SHORTEST_KEYWORD = 2;

/** Pages and commands by their names: known without asking. */
export function knownResults({ pages, commands, dashboards }: Application, me: Me, keyword: string): SearchResult[] {
  const isMeant = (name: string): boolean => name.toLowerCase().includes(keyword.toLowerCase());
  const ofPages = pages.map(({ pageKey, name }) => ({
    key: `page ${pageKey}`,
    name,
    kind: t('Page'),
    to: { pageKey },
  }));
  const ofCommands = pages.flatMap(({ pageKey, commands: codes }) =>
    commands
      .filter((command) => codes.includes(command.code) && isForList(command))
      .map(({ code, name }) => ({
        key: `run ${pageKey} ${code}`,
        name,
        kind: t('Command'),
        to: { pageKey, run: code },
      })),
  );
  const figures = dashboards.map(({ code, name }) => ({
    key: `dashboard ${code}`,
    name,
    kind: t('Figures'),
    to: { dashboard: code },
  }));
  const own = [
    { key: 'work', name: t('My work'), kind: t('You'), to: { screen: '/work' as const } },
    { key: 'account', name: t('Account'), kind: t('You'), to: { screen: '/account' as const } },
  ];
  const sections = sectionsFor(me).flatMap(({ title, entries }) =>
    entries.map(({ path, label }) => ({ key: path, name: t(label), kind: t(title), to: { screen: path } })),
  );
  return [...ofPages, ...figures, ...ofCommands, ...own, ...sections].filter(({ name }) => isMeant(name));
}

/** Records by a keyword, each where the first page of its model has it. */
export function foundRecordsQuery(application: Application, keyword: string) {
  return queryOptions({
    queryKey: ['search', keyword],
    enabled: keyword.length >= SHORTEST_KEYWORD,
    queryFn: async ({ signal }): Promise<FoundRecords> => {
      const ofModels = application.pages.filter((page) => findPage(application, page.modelCode) === page);
      const asked = await Promise.allSettled(
        ofModels.slice(0, MAX_PAGES).map((page) => recordsOn(page, application, keyword, signal)),
      );
      const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      return {
        records: asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
        // A page that has gone meanwhile has nothing to find.
        failure: failures.find((error) => !(error instanceof KeelsonError && error.code === 'NOT_FOUND')),
      };
    },
  });
}

async function recordsOn(
  { pageKey, name: kind, modelCode }: Page,
  application: Application,
  keyword: string,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const model = findModel(application, modelCode);
  const field = model ? nameField(model) : 'pid';
  const options = { keyword, fields: [field], pageSize: RECORDS_OF_A_PAGE, count: 'none' as const, signal };
  const { records } = await client.page(pageKey).list(options);
  return records.map((record) => {
    const { pid, [field]: name } = record as unknown as RecordData;
    return { key: `record ${pid}`, name: typeof name === 'string' ? name : pid, kind, to: { pageKey, open: pid } };
  });
}
