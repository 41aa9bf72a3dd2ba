import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Api } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { client } from '../../app/client.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ReasonDialog } from '../actions/ReasonDialog.tsx';
import { saveBlob } from '../files/download.ts';

type Export = Pick<
  Api['POST /api/admin/environments/{environment}/import']['body'],
  'formatVersion' | 'environment' | 'resources' | 'checksum'
>;

/** Takes all configuration as a file, and plans to make it what a file says. */
export function ExportImport({ environment }: { readonly environment: string }) {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const [file, setFile] = useState<Export | null>(null);

  async function save() {
    try {
      const path = `/api/admin/environments/${encodeURIComponent(environment)}/export`;
      const { data } = await client.request<object>('POST', path, { isRead: true });
      saveBlob(new Blob([JSON.stringify(data)], { type: 'application/json' }), `${environment}.json`);
    } catch (error) {
      say(shown(error).title);
    }
  }

  async function take(given: File | undefined) {
    if (!given) return;
    const content = parseExport(await given.text());
    if (content) setFile(content);
    else say(t('{name} is no export of an environment', { name: given.name }));
  }

  async function plan(reason: string) {
    if (!file) return;
    const { pid } = await ask('POST /api/admin/environments/{environment}/import', {
      params: { environment },
      body: { ...file, reason, planOnly: true },
    });
    setFile(null);
    await navigate({ to: '/promotions/$pid', params: { pid }, search: {} });
  }

  return (
    <>
      <Button onClick={() => void save()}>{t('Export')}</Button>
      <Button onClick={() => input.current?.click()}>{t('Import')}</Button>
      <input
        ref={input}
        type="file"
        accept=".json"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t('Choose an export')}
        onChange={({ target }) => {
          void take(target.files?.[0]);
          target.value = '';
        }}
      />
      {file && (
        <ReasonDialog
          title={t('Make {name} what the file says', { name: environment })}
          action={plural(file.resources.length, 'Plan {count} resource', 'Plan {count} resources')}
          onAct={plan}
          onClose={() => setFile(null)}
        >
          <p>
            {t('The file was taken from {source}. What is not in it goes. First there is a plan to look at.', {
              source: file.environment,
            })}
          </p>
        </ReasonDialog>
      )}
    </>
  );
}

/** The server says what else is wrong with it. */
function parseExport(text: string): Export | null {
  try {
    const { formatVersion, environment, resources, checksum } = JSON.parse(text) as Export;
    return Array.isArray(resources) ? { formatVersion, environment, resources, checksum } : null;
  } catch {
    return null;
  }
}
