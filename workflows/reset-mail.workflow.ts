import { proxyActivities } from '@temporalio/workflow';
import { MAIL } from './activity-options.ts';
import type { Activities, ResetMailInput } from './contracts.ts';

const { sendResetMail } = proxyActivities<Activities>(MAIL);

/**
 * Retries a reset e-mail that the mail server did not accept. Each attempt makes its own token, inside the
 * activity.
 */
export async function resetMail(input: ResetMailInput): Promise<void> {
  await sendResetMail(input);
}
