import type { Application, Command, Model, Page } from '../../app/application.ts';
import { MoreCommands } from '../../parts/commands/MoreCommands.tsx';
import { ExchangeMenu } from '../../parts/exchange/ExchangeMenu.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import styles from './PageScreen.module.css';

interface ListHeadProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  /** Commands that make something new; the first is the one for most. */
  readonly creators: readonly Command[];
  readonly onRun: (code: string) => void;
}

/** The name of a page, and what can be made on it. */
export function ListHead({ application, page, model, creators: [first, ...others], onRun }: ListHeadProps) {
  return (
    <header className={styles.head}>
      <h1>{page.name}</h1>
      <ExchangeMenu application={application} page={page} model={model} />
      {others.length > 0 && (
        <MoreCommands>
          {others.map(({ code, name }) => (
            <MenuItem key={code} onClick={() => onRun(code)}>
              {name}
            </MenuItem>
          ))}
        </MoreCommands>
      )}
      {first && (
        <Button look="primary" title={`${first.name} (c)`} onClick={() => onRun(first.code)}>
          <Icon name="add" />
          {first.name}
        </Button>
      )}
    </header>
  );
}
