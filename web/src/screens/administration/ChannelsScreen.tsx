import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { ActionDialog } from '../../parts/actions/ActionDialog.tsx';
import { CHANNELS, channelsQuery, type Channel } from '../../parts/administration/administration-query.ts';
import { ChannelDialog } from '../../parts/administration/ChannelDialog.tsx';
import { ListScreen } from '../../parts/administration/ListScreen.tsx';
import { Row, Rows } from '../../parts/administration/Rows.tsx';
import { useRoleNames } from '../../parts/administration/use-role-names.ts';
import { Button } from '../../ui/Button.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';

type Asked = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly channel: Channel };

/** Through which instant messages come in for the tenant. */
export function ChannelsScreen() {
  const cache = useQueryClient();
  const found = useQuery(channelsQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  const roleNames = useRoleNames();
  const close = () => setAsked(null);
  const channels = found.data ?? [];
  return (
    <>
      <ListScreen
        title={t('Channels')}
        tools={
          <Button look="primary" onClick={() => setAsked({ kind: 'new' })}>
            {t('Bind a channel')}
          </Button>
        }
        found={found}
        isEmpty={channels.length === 0}
        none={{
          title: t('No channel is bound'),
          advice: t('A channel of the configuration is bound to this tenant, with a secret and roles.'),
        }}
      >
        <Rows label={t('Channels')}>
          {channels.map((channel) => {
            const { channel: code, roles, replyUrl, suspended } = channel;
            return (
              <Row
                key={code}
                name={code}
                about={`${roleNames(roles)}${replyUrl === null ? '' : ` · ${replyUrl}`}`}
                state={
                  <StatusMark tone={suspended === null ? 'good' : 'bad'}>
                    {suspended === null ? t('Working') : t('Stopped: its owner may no longer grant it')}
                  </StatusMark>
                }
                actions={
                  <>
                    <Button
                      aria-label={t('Unbind {name}', { name: code })}
                      onClick={() => setAsked({ kind: 'delete', channel })}
                    >
                      {t('Unbind')}
                    </Button>
                    <Button
                      aria-label={t('Change {name}', { name: code })}
                      onClick={() => setAsked({ kind: 'edit', channel })}
                    >
                      {t('Change')}
                    </Button>
                  </>
                }
              />
            );
          })}
        </Rows>
      </ListScreen>
      {asked?.kind === 'new' && <ChannelDialog onClose={close} />}
      {asked?.kind === 'edit' && <ChannelDialog channel={asked.channel} onClose={close} />}
      {asked?.kind === 'delete' && (
        <ActionDialog
          title={t('Unbind {name}', { name: asked.channel.channel })}
          action={t('Unbind {name}', { name: asked.channel.channel })}
          isDangerous
          onAct={async () => {
            await ask('DELETE /api/im/channels/{channel}', { params: { channel: asked.channel.channel } });
            say(t('Unbound'));
            await cache.invalidateQueries({ queryKey: CHANNELS });
            close();
          }}
          onClose={close}
        >
          {() => <p>{t('Messages of the channel are refused from then on.')}</p>}
        </ActionDialog>
      )}
    </>
  );
}
