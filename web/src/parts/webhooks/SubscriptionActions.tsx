import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { MenuSeparator } from '../../ui/MenuSeparator.tsx';
import { DeleteDialog } from './DeleteDialog.tsx';
import { RecoverDialog } from './RecoverDialog.tsx';
import { SecretDialog } from './SecretDialog.tsx';
import { TestDialog, type TestResult } from './TestDialog.tsx';
import { webhooksChanged, type Subscription } from './webhook-queries.ts';

interface SubscriptionActionsProps {
  readonly subscription: Subscription;
  readonly onEdit: () => void;
}

type Asked = 'recover' | 'delete' | { readonly secret: string } | { readonly test: TestResult };

/** What can be done with a subscription. */
export function SubscriptionActions({ subscription, onEdit }: SubscriptionActionsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { pid, name, enabled, paused } = subscription;
  const params = { pid };
  const close = () => setAsked(null);

  async function act(work: () => Promise<unknown>) {
    setBusy(true);
    try {
      await work();
      await webhooksChanged();
    } catch (error) {
      say(shown(error).title);
    } finally {
      setBusy(false);
    }
  }
  const test = () =>
    act(async () => {
      setAsked({ test: await ask('POST /api/webhooks/{pid}/test', { params, body: { sample: true } }) });
    });
  const rotate = () =>
    act(async () => {
      const { secret } = await ask('POST /api/webhooks/{pid}/rotate-secret', { params, body: {} });
      setAsked({ secret });
    });
  const toggle = () =>
    act(async () => {
      if (!enabled) return ask('POST /api/webhooks/{pid}/enable', { params, body: {} });
      await ask('POST /api/webhooks/{pid}/disable', { params, body: {} });
      return say(t('It is off. What was waiting is cancelled; once it is on again, it can be recovered.'));
    });
  return (
    <>
      <Button disabled={isBusy} onClick={() => void test()}>
        {t('Send a test')}
      </Button>
      <Button disabled={isBusy} onClick={onEdit}>
        {t('Edit')}
      </Button>
      <Menu
        align="end"
        trigger={
          <Button look="plain" label={t('More for {name}', { name })} disabled={isBusy}>
            <Icon name="more" />
          </Button>
        }
      >
        <MenuItem onClick={() => void toggle()}>{enabled ? t('Switch off') : t('Switch on')}</MenuItem>
        {paused !== null && (
          <MenuItem onClick={() => void act(() => ask('POST /api/webhooks/{pid}/adopt', { params }))}>
            {t('Take it over')}
          </MenuItem>
        )}
        <MenuItem reason={enabled ? null : t('Switch it on first.')} onClick={() => setAsked('recover')}>
          {t('Recover what failed')}
        </MenuItem>
        <MenuItem onClick={() => void rotate()}>{t('Exchange the secret')}</MenuItem>
        <MenuSeparator />
        <MenuItem isDangerous onClick={() => setAsked('delete')}>
          {t('Delete')}
        </MenuItem>
      </Menu>
      {asked === 'recover' && <RecoverDialog subscription={subscription} onClose={close} />}
      {asked === 'delete' && <DeleteDialog subscription={subscription} onClose={close} />}
      {asked !== null && typeof asked === 'object' && 'secret' in asked && (
        <SecretDialog secret={asked.secret} isExchanged onClose={close} />
      )}
      {asked !== null && typeof asked === 'object' && 'test' in asked && (
        <TestDialog result={asked.test} onClose={close} />
      )}
    </>
  );
}
