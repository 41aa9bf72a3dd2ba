import { useRef, useState, type ComponentProps } from 'react';
import { Select } from './Select.tsx';

/** A `Select` whose choice has effects: what is chosen by keys counts when it is left, or at Enter. */
export function SettledSelect({
  value,
  onChoose,
  ...rest
}: ComponentProps<typeof Select> & { readonly value: string }) {
  // Null: nothing is chosen that does not count yet.
  const [chosen, setChosen] = useState<string | null>(null);
  const isByKey = useRef(false);
  const take = (next: string | null) => {
    setChosen(null);
    if (next !== null && next !== value) onChoose(next);
  };
  return (
    <Select
      {...rest}
      value={chosen ?? value}
      onPointerDown={() => (isByKey.current = false)}
      onKeyDown={({ key }) => {
        isByKey.current = true;
        if (key === 'Enter') take(chosen);
      }}
      onBlur={() => take(chosen)}
      onChoose={(next) => (isByKey.current ? setChosen(next) : take(next))}
    />
  );
}
