import { notFound } from '../errors/application-error.ts';
import type {
  AssistantContent,
  CommandContent,
  ContentByType,
  DataSourceContent,
  ImChannelContent,
  PageContent,
  ResourceType,
} from './content.ts';
import { toModel, type Model } from './model.ts';
import { permissionsOf, type Permissions } from './permissions.ts';

/** A resource as the snapshot needs it. */
export interface SnapshotResource {
  readonly resourceType: ResourceType;
  readonly code: string;
  readonly content: ContentByType[ResourceType];
}

/** All configuration of one environment at one version. Immutable: a change of metadata makes a new snapshot. */
export class Snapshot {
  readonly environment: string;
  readonly version: number;
  readonly models: ReadonlyMap<string, Model>;
  readonly pages: ReadonlyMap<string, PageContent>;
  readonly commands: ReadonlyMap<string, CommandContent>;
  readonly dataSources: ReadonlyMap<string, DataSourceContent>;
  readonly assistants: ReadonlyMap<string, AssistantContent>;
  readonly imChannels: ReadonlyMap<string, ImChannelContent>;
  readonly #roles: ReadonlyMap<string, readonly string[]>;
  readonly #permissions = new Map<string, Permissions>();

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
    this.assistants = new Map(ofType('ASSISTANT'));
    this.imChannels = new Map(ofType('IM_CHANNEL'));
    this.#roles = new Map(ofType('PERMISSION').map(([code, content]) => [code, content.codes]));
  }

  /** @throws NOT_FOUND */
  model(code: string): Model {
    return this.models.get(code) ?? missing('model');
  }

  /** @throws NOT_FOUND */
  page(pageKey: string): PageContent {
    return this.pages.get(pageKey) ?? missing('page');
  }

  /** @throws NOT_FOUND */
  command(code: string): CommandContent {
    return this.commands.get(code) ?? missing('command');
  }

  /** @throws NOT_FOUND */
  dataSource(code: string): DataSourceContent {
    return this.dataSources.get(code) ?? missing('data source');
  }

  /** @throws NOT_FOUND */
  assistant(code: string): AssistantContent {
    return this.assistants.get(code) ?? missing('assistant');
  }

  /** @throws NOT_FOUND */
  imChannel(code: string): ImChannelContent {
    return this.imChannels.get(code) ?? missing('channel');
  }

  /** What these roles may do in this environment. */
  permissionsOf(roles: readonly string[]): Permissions {
    const key = roles.join('\n');
    let permissions = this.#permissions.get(key);
    if (!permissions) {
      permissions = permissionsOf(roles, (role) => this.#roles.get(role) ?? []);
      this.#permissions.set(key, permissions);
    }
    return permissions;
  }
}

function missing(what: string): never {
  throw notFound(`There is no such ${what}`);
}
