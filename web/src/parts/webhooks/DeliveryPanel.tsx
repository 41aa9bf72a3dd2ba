import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { toneOf } from '../activity/statuses.ts';
import { copy } from '../operate/copy.ts';
import { Facts } from '../operate/Facts.tsx';
import { Found } from '../operate/Found.tsx';
import { Moment } from '../operate/Moment.tsx';
import { SidePanel } from '../operate/SidePanel.tsx';
import { TraceLink } from '../operate/TraceLink.tsx';
import { WorkflowLink } from '../operate/WorkflowLink.tsx';
import { asCurl } from './as-curl.ts';
import { AttemptBar } from './AttemptBar.tsx';
import { AttemptDetails } from './AttemptDetails.tsx';
import { deliveryStatus } from './delivery-texts.ts';
import { deliveryQuery, isGoing, webhooksChanged, type Delivery } from './webhook-queries.ts';

interface DeliveryPanelProps {
  readonly pid: string;
  readonly onClose: () => void;
}

/** One delivery: its attempts over time, each with its request and its response. */
export function DeliveryPanel({ pid, onClose }: DeliveryPanelProps) {
  const found = useQuery(deliveryQuery(pid));
  const { data: delivery } = found;
  return (
    <SidePanel
      title={delivery?.eventType ?? t('Delivery')}
      actions={delivery && <DeliveryActions delivery={delivery} />}
      onClose={onClose}
    >
      <Found query={found}>{delivery && <DeliveryView delivery={delivery} />}</Found>
    </SidePanel>
  );
}

function DeliveryView({ delivery }: { readonly delivery: Delivery }) {
  const [wanted, setWanted] = useState<number | null>(null);
  const { attempts, status, reason, createdAt, traceId, modelCode, pid } = delivery;
  const attempt = attempts.find(({ number }) => number === wanted) ?? attempts.at(-1);
  return (
    <>
      <Facts
        facts={[
          [
            t('State'),
            <StatusMark key="state" tone={toneOf(status)}>
              {deliveryStatus(status)}
            </StatusMark>,
          ],
          [t('Because'), reason],
          [t('Model'), modelCode],
          [t('Happened'), <Moment key="at" at={createdAt} />],
          [t('Trace'), <TraceLink key="trace" traceId={traceId} />],
          [
            t('Workflow'),
            attempts.length > 1 || status === 'RETRYING' ? <WorkflowLink key="w" id={`delivery:${pid}`} /> : null,
          ],
        ]}
      />
      <AttemptBar delivery={delivery} chosen={attempt?.number ?? null} onChoose={setWanted} />
      {attempt && <AttemptDetails delivery={delivery} attempt={attempt} />}
    </>
  );
}

function DeliveryActions({ delivery }: { readonly delivery: Delivery }) {
  const [isBusy, setBusy] = useState(false);
  const { pid, status } = delivery;
  async function act(route: 'resend' | 'cancel') {
    setBusy(true);
    try {
      if (route === 'resend') await ask('POST /api/webhooks/deliveries/{pid}/resend', { params: { pid } });
      else await ask('POST /api/webhooks/deliveries/{pid}/cancel', { params: { pid } });
      await webhooksChanged();
    } catch (error) {
      say(shown(error).title);
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <Button look="plain" label={t('Copy as curl')} onClick={() => void copy(asCurl(delivery))}>
        <Icon name="copy" />
      </Button>
      {isGoing(delivery) && (
        <Button disabled={isBusy} onClick={() => void act('cancel')}>
          {t('Give up')}
        </Button>
      )}
      {status !== 'PENDING' && (
        <Button disabled={isBusy} onClick={() => void act('resend')}>
          {t('Send again')}
        </Button>
      )}
    </>
  );
}
