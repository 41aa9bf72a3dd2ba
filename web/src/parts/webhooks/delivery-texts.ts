import { t } from '../../app/texts.ts';
import { statusText } from '../activity/statuses.ts';
import type { Attempt } from './webhook-queries.ts';

/** How a delivery stands, in words. */
export function deliveryStatus(status: string): string {
  return status === 'SUCCEEDED' ? t('Delivered') : statusText(status);
}

export function answerName(answer: string): string {
  return answer === 'none' ? t('No answer') : answer;
}

/** What came of an attempt, in one word. */
export function outcomeOf({ statusCode, errorClass }: Pick<Attempt, 'statusCode' | 'errorClass'>): string {
  if (statusCode !== null) return String(statusCode);
  const texts: Readonly<Record<string, string>> = {
    dns: t('Unknown host'),
    refused: t('Refused'),
    tls: t('No TLS'),
    timeout: t('Too late'),
    blocked: t('Not sent'),
    http: t('Broken answer'),
    unknown: t('Unknown'),
  };
  return errorClass === null ? t('On its way') : (texts[errorClass] ?? errorClass);
}

/** Why an attempt was made. */
export function triggerText(trigger: Attempt['trigger']): string {
  const texts = {
    event: t('by the event'),
    retry: t('by itself'),
    resend: t('by hand'),
    recover: t('by a recovery'),
  };
  return texts[trigger];
}

export function isGood({ statusCode }: Pick<Attempt, 'statusCode'>): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}
