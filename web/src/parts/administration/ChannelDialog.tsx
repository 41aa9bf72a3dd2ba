import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { CHANNELS, type Channel } from './administration-query.ts';
import { RoleChoice } from './RoleChoice.tsx';

interface ChannelDialogProps {
  readonly channel?: Channel | undefined;
  readonly onClose: () => void;
}

/** Binds a channel to the tenant: with which roles its messages act, and the secret that signs them. */
export function ChannelDialog({ channel: bound, onClose }: ChannelDialogProps) {
  const cache = useQueryClient();
  const [channel, setChannel] = useState(bound?.channel ?? '');
  const [roles, setRoles] = useState<readonly string[]>(bound?.roles ?? []);
  const [secret, setSecret] = useState('');
  const [replyUrl, setReplyUrl] = useState(bound?.replyUrl ?? '');
  const isBound = bound !== undefined;
  return (
    <ActionDialog
      title={isBound ? channel : t('Bind a channel')}
      size="wide"
      action={isBound ? t('Save') : t('Bind it')}
      isReady={channel.trim() !== '' && roles.length > 0}
      onAct={async () => {
        await ask('PUT /api/im/channels/{channel}', {
          params: { channel: channel.trim() },
          body: {
            roles: [...roles],
            secret: secret === '' ? null : secret,
            replyUrl: replyUrl.trim() === '' ? null : replyUrl.trim(),
          },
        });
        say(t('The channel is bound'));
        await cache.invalidateQueries({ queryKey: CHANNELS });
        onClose();
      }}
      onClose={onClose}
    >
      {(problems) => (
        <>
          {!isBound && (
            <Labelled label={t('Code of the channel')} required problem={problems.channel}>
              {(ties) => <TextInput {...ties} value={channel} onChange={({ target }) => setChannel(target.value)} />}
            </Labelled>
          )}
          <RoleChoice label={t('Its messages act with')} value={roles} onChange={setRoles} />
          <Labelled
            label={t('Secret')}
            problem={problems.secret}
            hint={bound?.hasSecret === true ? t('Empty leaves it as it is') : t('Signs what comes in')}
          >
            {(ties) => (
              <TextInput
                {...ties}
                type="password"
                autoComplete="new-password"
                value={secret}
                onChange={({ target }) => setSecret(target.value)}
              />
            )}
          </Labelled>
          <Labelled label={t('Replies go to')} problem={problems.replyUrl}>
            {(ties) => (
              <TextInput {...ties} type="url" value={replyUrl} onChange={({ target }) => setReplyUrl(target.value)} />
            )}
          </Labelled>
        </>
      )}
    </ActionDialog>
  );
}
