/** Some editors come with the first use of them. */
const LOOKS_FOR_CONTROL = 60;

/**
 * Puts the focus into the first control of a part.
 * @param isReplaced selects its text
 * @returns ends the search
 */
export function focusControl(find: () => HTMLElement | null, isReplaced = false): () => void {
  let looks = 0;
  let frame = 0;
  const look = () => {
    const control = find()?.querySelector<HTMLElement>('input:enabled, select:enabled, textarea:enabled');
    looks += 1;
    if (!control) {
      if (looks < LOOKS_FOR_CONTROL) frame = requestAnimationFrame(look);
      return;
    }
    control.focus();
    if (isReplaced && control instanceof HTMLInputElement && control.type === 'text') control.select();
  };
  look();
  return () => cancelAnimationFrame(frame);
}
