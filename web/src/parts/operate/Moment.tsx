import { formatMoment, formatWholeMoment } from '../../app/format.ts';

interface MomentProps {
  readonly at: string;
  /** Who it was, where that is known. */
  readonly by?: string | null;
}

/** A time, relative within a day; the whole of it in the tooltip. */
export function Moment({ at, by = null }: MomentProps) {
  return (
    <>
      {by !== null && <>{by} · </>}
      <time dateTime={at} title={formatWholeMoment(at)}>
        {formatMoment(at)}
      </time>
    </>
  );
}
