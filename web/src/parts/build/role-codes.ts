/** By which code of a role a permission is granted: itself, or one that ends in `*`; null: by none. */
export function grantedBy(codes: readonly string[], code: string): string | null {
  if (codes.includes(code)) return code;
  const segments = code.split(':');
  const wider = segments.map((_, index) => [...segments.slice(0, index), '*'].join(':')).reverse();
  return wider.find((one) => codes.includes(one)) ?? null;
}
