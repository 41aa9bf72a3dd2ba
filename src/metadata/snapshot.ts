import { notFound } from '../errors/application-error.ts';
import type { AutomationContent } from './automation-content.ts';
import type {
  AssistantContent,
  ImChannelContent,
  CommandContent,
  ContentByType,
  DataSourceContent,
  I18nContent,
  PageContent,
  PermissionContent,
  ResourceType,
} from './content.ts';
import { toModel, type Model } from './model.ts';
import { permissionsOf, type GrantedPermissions } from './permissions.ts';

/** A resource as the snapshot needs it. */
export interface SnapshotResource {
  readonly resourceType: ResourceType;
  readonly code: string;
  readonly content: ContentByType[ResourceType];
  /** Known of resources that stand in an environment. */
  readonly pid?: string;
  readonly version?: number;
}

/** An automation with what a run of it is pinned to. */
export interface Automation {
  readonly code: string;
  readonly pid: string;
  readonly version: number;
  readonly content: AutomationContent;
}

/** All configuration of one environment at one version. Immutable: a change of metadata makes a new snapshot. */
export class Snapshot {
  readonly environment: string;
  readonly version: number;
  readonly models: ReadonlyMap<string, Model>;
  readonly pages: ReadonlyMap<string, PageContent>;
  readonly commands: ReadonlyMap<string, CommandContent>;
  readonly dataSources: ReadonlyMap<string, DataSourceContent>;
  /** Locale -> key -> text. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The roles that are PERMISSION resources, by code. */
  readonly roles: ReadonlyMap<string, PermissionContent>;
  readonly automations: ReadonlyMap<string, Automation>;
  readonly assistants: ReadonlyMap<string, AssistantContent>;
  readonly imChannels: ReadonlyMap<string, ImChannelContent>;
  readonly #codes: ReadonlySet<string>;
  readonly #permissions = new Map<string, GrantedPermissions>();

  constructor(environment: string, version: number, resources: readonly SnapshotResource[]) {
    const ofType = <T extends ResourceType>(type: T): [string, ContentByType[T]][] =>
      resources
        .filter(({ resourceType }) => resourceType === type)
        .map(({ code, content }) => [code, content as ContentByType[T]]);
    this.environment = environment;
    this.version = version;
    this.models = new Map(ofType('MODEL').map(([code, content]) => [code, toModel(environment, code, content)]));
    this.pages = new Map(ofType('PAGE_SCHEMA'));
    this.commands = new Map(ofType('COMMAND'));
    this.dataSources = new Map(ofType('DATASOURCE'));
    this.messages = bundlesOf(ofType('I18N'));
    this.roles = new Map(ofType('PERMISSION'));
    this.automations = new Map(resources.filter(isOfAutomation).map((each) => [each.code, toAutomation(each)]));
    this.#codes = new Set(resources.map(({ resourceType, code }) => `${resourceType}/${code}`));
    this.assistants = new Map(ofType('ASSISTANT'));
    this.imChannels = new Map(ofType('IM_CHANNEL'));
  }

  /** @throws NOT_FOUND */
  model(code: string): Model {
    return this.models.get(code) ?? missing('There is no such model');
  }

  /** @throws NOT_FOUND */
  page(pageKey: string): PageContent {
    return this.pages.get(pageKey) ?? missing('There is no such page');
  }

  /** @throws NOT_FOUND */
  command(code: string): CommandContent {
    return this.commands.get(code) ?? missing('There is no such command');
  }

  /** @throws NOT_FOUND */
  dataSource(code: string): DataSourceContent {
    return this.dataSources.get(code) ?? missing('There is no such data source');
  }

  /** @throws NOT_FOUND */
  automation(code: string): Automation {
    return this.automations.get(code) ?? missing('There is no such automation');
  }

  has(resourceType: ResourceType, code: string): boolean {
    return this.#codes.has(`${resourceType}/${code}`);
  }

  /** @throws NOT_FOUND */
  assistant(code: string): AssistantContent {
    return this.assistants.get(code) ?? missing('There is no such assistant');
  }

  /** @throws NOT_FOUND */
  imChannel(code: string): ImChannelContent {
    return this.imChannels.get(code) ?? missing('There is no such channel');
  }

  /** What these roles may do in this environment. */
  permissionsOf(roles: readonly string[]): GrantedPermissions {
    const key = roles.join('\n');
    let permissions = this.#permissions.get(key);
    if (!permissions) {
      permissions = permissionsOf(roles, (role) => this.roles.get(role)?.codes ?? []);
      this.#permissions.set(key, permissions);
    }
    return permissions;
  }
}

/** Bundles of one locale add up; of a key that several have, the one of the last code counts. */
function bundlesOf(resources: readonly [code: string, content: I18nContent][]): Map<string, Map<string, string>> {
  const bundles = new Map<string, Map<string, string>>();
  for (const [, { locale, messages }] of [...resources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    bundles.set(locale, new Map([...(bundles.get(locale) ?? []), ...Object.entries(messages)]));
  }
  return bundles;
}

function isOfAutomation({ resourceType }: SnapshotResource): boolean {
  return resourceType === 'AUTOMATION';
}

function toAutomation({ code, pid = '', version = 0, content }: SnapshotResource): Automation {
  return { code, pid, version, content: content as AutomationContent };
}

function missing(message: string): never {
  throw notFound(message);
}
