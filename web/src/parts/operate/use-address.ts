import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { textIn } from '../../app/address.ts';

export type Address = Readonly<Record<string, string | undefined>>;
type Change = (change: Address, options?: { readonly isReplacing?: boolean }) => void;

/** What is shown is in the address: filters, and what is open. What is undefined leaves it. */
export function useAddress(): readonly [Address, Change] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback<Change>(
    (changes, { isReplacing = false } = {}) =>
      void navigate({ to: '.', search: (before) => ({ ...before, ...changes }), replace: isReplacing }),
    [navigate],
  );
  const texts = Object.entries(search).map(([key, value]) => [key, textIn(value)] as const);
  return [Object.fromEntries(texts), change];
}
