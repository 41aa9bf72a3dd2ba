import { lazyPart } from '../loading/lazy-part.tsx';

/** A search for a record or a person, which forms load beforehand: then their first field has the focus. */
export const Picker = lazyPart(() => import('./ChoicePicker.tsx'));
