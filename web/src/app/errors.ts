import { KeelsonError, NetworkError } from '@keelson/client';
import { t } from './texts.ts';

/** An error as it is shown. */
export interface ShownError {
  readonly title: string;
  readonly advice?: string;
  readonly traceId: string | null;
}

/** The service says itself what is wrong, in the language of the page; what else happens is said here. */
export function shown(error: unknown): ShownError {
  if (error instanceof NetworkError) {
    const advice = t('Nothing that you typed is lost. Try again in a moment.');
    return { title: t('The server does not answer.'), advice, traceId: null };
  }
  if (!(error instanceof KeelsonError)) return { title: t('Something went wrong on this page.'), traceId: null };
  const { message, code, status, data, traceId, retryAfter } = error;
  const { permission } = (data ?? {}) as { readonly permission?: unknown };
  if (code === 'FORBIDDEN' && typeof permission === 'string') {
    return {
      title: t('You may not do this.'),
      advice: t('It needs the permission {permission}: ask an administrator of your tenant.', { permission }),
      traceId: null,
    };
  }
  if (status === 429) {
    return { title: message, advice: t('Try again in {seconds} s.', { seconds: retryAfter ?? 60 }), traceId: null };
  }
  if (status === 503) {
    return { title: message, advice: t('Nothing that you typed is lost. Try again in a moment.'), traceId };
  }
  // A rule that was kept is nothing to look for in the logs.
  return { title: message, traceId: status < 500 ? null : traceId };
}

/** An error in one line, where there is no room for more. */
export function shownInLine(error: unknown): string {
  const { title, advice } = shown(error);
  return advice === undefined ? title : `${title.replace(/[.。]$/u, '')}. ${advice}`;
}
