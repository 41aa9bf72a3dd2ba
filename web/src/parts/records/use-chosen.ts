import { useState } from 'react';
import type { PageSearch } from './page-search.ts';

type Change = (change: PageSearch) => void;

/** What is chosen counts at once, and in the next choice: the address follows a moment later. */
export function useChosen(search: PageSearch, onChange: Change): readonly [PageSearch, Change] {
  const [known, setKnown] = useState(search);
  const [chosen, setChosen] = useState(search);
  if (search !== known) {
    setKnown(search);
    setChosen(search);
  }
  const change = (changes: PageSearch): void => {
    setChosen({ ...chosen, ...changes });
    onChange(changes);
  };
  return [chosen, change];
}
