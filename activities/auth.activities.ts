import type { Activities } from '../workflows/contracts.ts';
import { heartbeating } from './context.ts';

interface ResetMails {
  sendAnother(userPid: string): ReturnType<Activities['sendResetMail']>;
}

export function authActivities(resetMails: ResetMails): Pick<Activities, 'sendResetMail'> {
  return {
    sendResetMail: ({ userPid }) => heartbeating(resetMails.sendAnother(userPid)),
  };
}
