import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';

/** Puts a text where it can be pasted from, and says so. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t('Copied'));
  } catch {
    say(t('The browser does not allow to copy.'));
  }
}
