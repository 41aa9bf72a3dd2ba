import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { findPage } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { BUTTON_LOOK } from '../../ui/button-look.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { ScreenHead } from '../../ui/ScreenHead.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { kindName } from '../promotions/promotion-words.ts';
import { RESOURCES, type Resource } from './build-query.ts';
import { useDrafts, type Draft, type Named } from './drafts.ts';
import type { JsonSchema } from './json-schema.ts';
import styles from './ResourceHead.module.css';
import { readDraft } from './use-plan.ts';
import { VersionsDialog } from './VersionsDialog.tsx';

interface ResourceHeadProps {
  readonly named: Named;
  readonly saved: Resource | null;
  readonly draft: Draft | undefined;
  /** The draft, or what is saved in its form. */
  readonly shown: Draft;
  readonly schema: JsonSchema;
  readonly onText: (text: string) => void;
}

/** What is open, how it stands, and what can be done with it as a whole. */
export function ResourceHead({ named, saved, draft, shown, schema, onText }: ResourceHeadProps) {
  const { drop } = useDrafts();
  const [open, setOpen] = useState<'versions' | 'delete' | null>(null);
  const { resourceType, code } = named;
  const { app } = readDraft(shown).content ?? {};
  const isBehind = draft !== undefined && saved !== null && draft.version !== saved.version;
  return (
    <ScreenHead
      back={
        <Link to="/build" search={{ type: resourceType }}>
          {kindName(resourceType)}
        </Link>
      }
      title={code}
    >
      <span className={styles.about}>
        {saved ? t('Version {version}', { version: saved.version }) : t('Not saved yet')}
        {typeof app === 'string' && ` · ${app}`}
      </span>
      {draft && <StatusMark tone="waiting">{t('Not saved')}</StatusMark>}
      {isBehind && <span className={styles.behind}>{t('Someone else has saved it since you began.')}</span>}
      <div className={styles.actions}>
        {saved && <PageOf named={named} />}
        {draft && <Button onClick={() => drop(named)}>{saved ? t('Discard changes') : t('Discard it')}</Button>}
        {saved && <Button onClick={() => setOpen('versions')}>{t('Versions')}</Button>}
        {saved && (
          <Menu
            align="end"
            trigger={
              <Button look="plain" label={t('More for {name}', { name: code })}>
                <Icon name="more" />
              </Button>
            }
          >
            <MenuItem isDangerous onClick={() => setOpen('delete')}>
              {t('Delete {code}', { code })}
            </MenuItem>
          </Menu>
        )}
      </div>
      {saved && open === 'versions' && (
        <VersionsDialog
          pid={saved.pid}
          schema={schema}
          text={shown.text}
          onRestore={(text) => {
            onText(text);
            setOpen(null);
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'delete' && <DeleteResource named={named} onClose={() => setOpen(null)} />}
    </ScreenHead>
  );
}

/** The page of what is open can be used as soon as it is saved. */
function PageOf({ named: { resourceType, code } }: { readonly named: Named }) {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const page =
    resourceType === 'MODEL'
      ? findPage(application, code)
      : application.pages.find(({ pageKey }) => resourceType === 'PAGE_SCHEMA' && pageKey === code);
  if (!page) return null;
  const { pageKey } = page;
  return (
    <>
      <Link to="/pages/$pageKey" params={{ pageKey }} className={BUTTON_LOOK}>
        {t('Open the page')}
      </Link>
      <Link to="/pages/$pageKey/import" params={{ pageKey }} className={BUTTON_LOOK}>
        {t('Import records')}
      </Link>
    </>
  );
}

function DeleteResource({ named, onClose }: { readonly named: Named; readonly onClose: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { drop } = useDrafts();
  const { resourceType, code } = named;
  const action = t('Delete {code}', { code });
  return (
    <ActionDialog
      title={action}
      action={action}
      isDangerous
      onAct={async () => {
        await ask('POST /api/meta/commands/execute/{commandCode}', {
          params: { commandCode: 'meta:delete' },
          body: { payload: { resourceType, code } },
        });
        drop(named);
        say(t('{code} is deleted', { code }));
        onClose();
        await Promise.all([
          cache.invalidateQueries({ queryKey: RESOURCES }),
          cache.invalidateQueries({ queryKey: applicationQuery.queryKey }),
          navigate({ to: '/build', search: { type: resourceType } }),
        ]);
      }}
      onClose={onClose}
    >
      {() => <p>{t('It leaves this environment; its versions stay, and the records of a model, out of reach.')}</p>}
    </ActionDialog>
  );
}
