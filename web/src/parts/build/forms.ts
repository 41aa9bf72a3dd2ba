import type { ComponentType } from 'react';
import type { ResourceType } from '../promotions/promotion-words.ts';
import type { FormProps } from './form.ts';
import { AutomationParts } from './AutomationParts.tsx';
import { CommandParts } from './CommandParts.tsx';
import { DashboardParts } from './DashboardParts.tsx';
import { DataSourceParts } from './DataSourceParts.tsx';
import { ModelForm } from './ModelForm.tsx';
import { PageForm } from './PageForm.tsx';
import { RoleForm } from './RoleForm.tsx';
import { Facts } from './Facts.tsx';
import { TextsForm } from './TextsForm.tsx';

/** What stands beside the text of a resource. */
const FORMS: Readonly<Partial<Record<ResourceType, ComponentType<FormProps>>>> = {
  MODEL: ModelForm,
  COMMAND: CommandParts,
  PERMISSION: RoleForm,
  PAGE_SCHEMA: PageForm,
  I18N: TextsForm,
  DATASOURCE: DataSourceParts,
  AUTOMATION: AutomationParts,
  DASHBOARD: DashboardParts,
};

export function formOf(type: ResourceType): ComponentType<FormProps> {
  return FORMS[type] ?? Facts;
}
