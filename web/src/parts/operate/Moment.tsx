import { formatMoment, formatWholeMoment } from '../../app/format.ts';

/** A time, relative within a day; the whole of it in the tooltip. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatWholeMoment(at)}>
      {formatMoment(at)}
    </time>
  );
}
