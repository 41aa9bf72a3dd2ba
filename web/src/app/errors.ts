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
    return { title: t('The server does not answer.'), advice: t('Nothing that you typed is lost.'), traceId: null };
  }
  if (!(error instanceof KeelsonError)) return { title: t('Something went wrong on this page.'), traceId: null };
  const { message, code, data, traceId } = error;
  const { permission } = (data ?? {}) as { readonly permission?: unknown };
  if (code === 'FORBIDDEN' && typeof permission === 'string') {
    return {
      title: t('You may not do this.'),
      advice: t('It needs the permission {permission}: ask an administrator of your tenant.', { permission }),
      traceId: null,
    };
  }
  return { title: message, traceId };
}
