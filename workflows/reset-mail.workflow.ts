import { proxyActivities } from '@temporalio/workflow';
import { MAIL } from './activity-options.ts';
import type { Activities, ResetMailInput } from './contracts.ts';

const { sendResetMail } = proxyActivities<Activities>(MAIL);

/** Goes on with a reset whose e-mail the mail server would not take. Each attempt has a token of its own, which stays in the activity. */
export async function resetMail(input: ResetMailInput): Promise<void> {
  await sendResetMail(input);
}
