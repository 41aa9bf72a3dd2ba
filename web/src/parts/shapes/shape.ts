import type { ComponentType } from 'react';
import type { Application, Model, Page, RecordData } from '../../app/application.ts';
import type { TextKey } from '../../app/texts.ts';
import type { IconName } from '../../ui/Icon.tsx';
import type { ListRequest } from '../records/record-list.ts';
import type { PageSearch } from '../records/page-search.ts';

export interface ShapeProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly search: PageSearch;
  /** What of the page is seen. */
  readonly request: ListRequest;
  readonly onChange: (change: PageSearch) => void;
  readonly onOpen: (record: RecordData) => void;
}

/** A way to show the records of a list, beside the grid. Loaded when it is shown. */
export interface Shape {
  readonly code: string;
  readonly name: TextKey;
  readonly icon: IconName;
  /** Whether records of a model can be shown so. */
  readonly fits: (model: Model) => boolean;
  readonly Body: ComponentType<ShapeProps>;
}
