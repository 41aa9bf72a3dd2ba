import type { Activities } from '../workflows/contracts.ts';
import { heartbeating } from './heartbeating.ts';

interface ResetMails {
  sendAnother(userPid: string, locale: string | undefined): ReturnType<Activities['sendResetMail']>;
}

export function authActivities(resetMails: ResetMails): Pick<Activities, 'sendResetMail'> {
  return {
    sendResetMail: ({ userPid, locale }) => heartbeating(resetMails.sendAnother(userPid, locale)),
  };
}
