import { heartbeat } from '@temporalio/activity';
import type { ResetMails } from '../src/auth/reset-mails.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

/** Well below the heartbeat timeout: one that gets lost does no harm. */
const HEARTBEAT_MS = 2_500;

export function authActivities(resetMails: ResetMails): Pick<Activities, 'sendResetMail'> {
  return {
    async sendResetMail({ userPid, locale }) {
      const beating = setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        await failing(resetMails.sendAnother(userPid, locale));
      } finally {
        clearInterval(beating);
      }
    },
  };
}
