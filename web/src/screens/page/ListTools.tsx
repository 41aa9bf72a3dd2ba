import { Suspense, useEffect, useState, type RefObject } from 'react';
import type { Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Filters } from '../../parts/filters/Filters.tsx';
import { GroupChoice } from '../../parts/grid/GroupChoice.tsx';
import { FailedTool } from '../../parts/loading/FailedTool.tsx';
import { lazyPart } from '../../parts/loading/lazy-part.tsx';
import type { PageSearch } from '../../parts/records/page-search.ts';
import { useChosen } from '../../parts/records/use-chosen.ts';
import { ShapeChoice } from '../../parts/shapes/ShapeChoice.tsx';
import { findShape } from '../../parts/shapes/shapes.ts';
import { ViewTabs } from '../../parts/views/ViewTabs.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import styles from './PageScreen.module.css';

const ColumnChoice = lazyPart(() => import('../../parts/grid/ColumnChoice.tsx'), FailedTool);

interface ListToolsProps {
  readonly page: Page;
  readonly model: Model;
  readonly search: PageSearch;
  readonly keyword: RefObject<HTMLInputElement | null>;
  readonly onChange: (change: PageSearch) => void;
  readonly onShow: (search: PageSearch) => void;
  readonly onKeys: () => void;
}

/** A keyword is looked for when the typing pauses. */
const PAUSE_MS = 250;

/** What of a page is seen: its views, a keyword, filters, columns. */
export function ListTools({ page, model, search: shown, keyword, onChange: onChoose, onShow, onKeys }: ListToolsProps) {
  const [search, onChange] = useChosen(shown, onChoose);
  const { q = '', f = [] } = search;
  return (
    <div className={styles.tools}>
      <div className={styles.views}>
        <ViewTabs pageKey={page.pageKey} search={search} onShow={onShow} />
      </div>
      <KeywordInput q={q} keyword={keyword} onChange={onChange} />
      <Filters
        page={page}
        model={model}
        conditions={f}
        onChange={(next) => onChange({ f: next.length > 0 ? next : undefined })}
      />
      <div className={styles.columns}>
        <ShapeChoice model={model} search={search} onChange={onChange} />
        {!findShape(search.shape, model) && <GroupChoice model={model} search={search} onChange={onChange} />}
        <Suspense
          fallback={
            <Button look="plain" label={t('Columns')} disabled>
              <Icon name="columns" />
            </Button>
          }
        >
          <ColumnChoice page={page} model={model} search={search} onChange={onChange} />
        </Suspense>
        <Button look="plain" className={styles.keys} label={t('Keys of this screen')} onClick={onKeys}>
          <Icon name="keyboard" />
        </Button>
      </div>
    </div>
  );
}

function KeywordInput({ q, keyword, onChange }: Pick<ListToolsProps, 'keyword' | 'onChange'> & { readonly q: string }) {
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  const [sent, setSent] = useState(q);
  if (q !== known) {
    setKnown(q);
    // Another keyword, or none, has come from elsewhere.
    if (q !== sent) setTyped(q);
  }
  useEffect(() => {
    if (typed === q) return;
    const timer = setTimeout(() => {
      setSent(typed);
      onChange({ q: typed === '' ? undefined : typed });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <div className={styles.keyword}>
      <TextInput
        ref={keyword}
        type="search"
        aria-label={t('Search this page')}
        placeholder={t('Search')}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
    </div>
  );
}
