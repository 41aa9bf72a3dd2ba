import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Application, Model, Page } from '../../app/application.ts';
import { shownInLine } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { MenuSeparator } from '../../ui/MenuSeparator.tsx';
import { download } from '../files/download.ts';
import { exportQuery, type ExportFormat } from './export-query.ts';

interface ExchangeMenuProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
}

/** Takes what is seen of a page along as a file, or brings a file to it. */
export function ExchangeMenu({ application, page, model }: ExchangeMenuProps) {
  const search = useSearch({ from: '/pages/$pageKey' });
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const { pageKey } = page;
  const mayImport = application.commands.some(
    ({ code, operations }) =>
      page.commands.includes(code) && operations.some((operation) => operation === 'CREATE' || operation === 'UPDATE'),
  );

  async function take(format: ExportFormat) {
    setBusy(true);
    try {
      await download(
        `/api/dynamic/${pageKey}/export`,
        `${pageKey}.${format}`,
        exportQuery(page, model, search, format),
      );
    } catch (error) {
      say(shownInLine(error));
    }
    setBusy(false);
  }

  return (
    <Menu
      align="end"
      trigger={
        <Button label={isBusy ? t('The file is being made') : t('Export and import')} aria-busy={isBusy}>
          <Icon name="export" />
        </Button>
      }
    >
      <MenuItem onClick={() => void take('csv')}>{t('Export as CSV')}</MenuItem>
      <MenuItem onClick={() => void take('xlsx')}>{t('Export as an Excel workbook')}</MenuItem>
      <MenuItem onClick={() => void take('ndjson')}>{t('Export as JSON lines')}</MenuItem>
      {mayImport && (
        <>
          <MenuSeparator />
          <MenuItem onClick={() => void navigate({ to: '/pages/$pageKey/import', params: { pageKey } })}>
            {t('Import a file')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
