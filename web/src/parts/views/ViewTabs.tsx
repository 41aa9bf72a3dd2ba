import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { ask } from '../../app/ask.ts';
import type { View } from '../../app/application.ts';
import { shownInLine } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { FailedDialog } from '../loading/FailedDialog.tsx';
import { lazyPart } from '../loading/lazy-part.tsx';
import type { PageSearch } from '../records/page-search.ts';
import { searchOfView, viewPartsOf, viewsQuery } from './views-query.ts';
import styles from './ViewTabs.module.css';

const SaveViewDialog = lazyPart(() => import('./SaveViewDialog.tsx'), FailedDialog);

interface ViewTabsProps {
  readonly pageKey: string;
  readonly search: PageSearch;
  /** Replaces what is seen. */
  readonly onShow: (search: PageSearch) => void;
}

/** The saved views of a page, and what can be done with the one that is shown. */
export function ViewTabs({ pageKey, search, onShow }: ViewTabsProps) {
  const cache = useQueryClient();
  const { data: views = [] } = useQuery(viewsQuery(pageKey));
  const [isSaving, setSaving] = useState(false);
  const current = views.find(({ pid }) => pid === search.view);
  const { q } = search;
  const parts = viewPartsOf(search);
  const isOwn = current?.scope === 'private';
  const hasChanged = current !== undefined && !isSame(search, searchOfView(current));
  const isWorthSaving = !isSame(search, {});

  async function change(work: () => Promise<unknown>, done: string) {
    try {
      await work();
      await cache.invalidateQueries({ queryKey: ['views', pageKey] });
      say(done);
    } catch (error) {
      say(shownInLine(error));
    }
  }

  return (
    <div className={styles.tabs} role="group" aria-label={t('Views')}>
      {views.length > 0 && (
        <button type="button" className={styles.tab} aria-pressed={!current} onClick={() => onShow({})}>
          {t('All')}
        </button>
      )}
      {views.map((view) => (
        <button
          key={view.pid}
          type="button"
          className={styles.tab}
          aria-pressed={view === current}
          onClick={() => onShow(searchOfView(view))}
        >
          {view.name}
        </button>
      ))}
      {(isWorthSaving || isOwn) && (
        <Menu
          trigger={
            <Button look="plain" label={t('Save or change views')}>
              <Icon name="more" />
            </Button>
          }
        >
          {isOwn && hasChanged && (
            <MenuItem
              onClick={() =>
                void change(
                  () => ask('PATCH /api/views/{pid}', { params: { pid: current.pid }, body: parts }),
                  t('The view {name} is saved', { name: current.name }),
                )
              }
            >
              {t('Save the changes of {name}', { name: current.name })}
            </MenuItem>
          )}
          {isWorthSaving && <MenuItem onClick={() => setSaving(true)}>{t('Save as a new view')}</MenuItem>}
          {isOwn && (
            <MenuItem
              isDangerous
              onClick={() =>
                void change(
                  () => ask('DELETE /api/views/{pid}', { params: { pid: current.pid } }),
                  t('The view {name} is deleted', { name: current.name }),
                ).then(() => onShow({}))
              }
            >
              {t('Delete the view {name}', { name: current.name })}
            </MenuItem>
          )}
        </Menu>
      )}
      {isSaving && (
        <Suspense>
          <SaveViewDialog
            onClose={() => setSaving(false)}
            onSave={async (name) => {
              const view: View = await ask('POST /api/views', { body: { name, pageKey, ...parts } });
              await cache.invalidateQueries({ queryKey: ['views', pageKey] });
              setSaving(false);
              onShow({ ...searchOfView(view), ...(q !== undefined && { q }) });
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

function isSame(one: PageSearch, other: PageSearch): boolean {
  return JSON.stringify(viewPartsOf(one)) === JSON.stringify(viewPartsOf(other));
}
