import type { Api } from '../../app/api.d.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { formatDuration } from '../operate/duration.ts';
import { Facts } from '../operate/Facts.tsx';
import { Code, Folded } from '../operate/Folded.tsx';
import { prettyBody } from './pretty-body.ts';

export type TestResult = Api['POST /api/webhooks/{pid}/test']['data'];

interface TestDialogProps {
  readonly result: TestResult;
  readonly onClose: () => void;
}

/** What came of a test. */
export function TestDialog({ result, onClose }: TestDialogProps) {
  const { delivered, statusCode, durationMs, error, request, response } = result;
  return (
    <Dialog
      title={delivered ? t('The test has arrived') : t('The test has failed')}
      size="wide"
      onClose={onClose}
      actions={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <Facts
        facts={[
          [
            t('Answer'),
            <StatusMark key="answer" tone={delivered ? 'good' : 'bad'}>
              {statusCode === null ? t('No answer') : String(statusCode)}
            </StatusMark>,
          ],
          [t('What happened'), error?.message],
          [t('Took'), formatDuration(durationMs)],
        ]}
      />
      <Folded title={t('Request')}>
        <Code>{prettyBody(request.body)}</Code>
      </Folded>
      {response && response.body !== '' && (
        <Folded title={t('Response')} isOpen>
          <Code>{prettyBody(response.body)}</Code>
        </Folded>
      )}
    </Dialog>
  );
}
