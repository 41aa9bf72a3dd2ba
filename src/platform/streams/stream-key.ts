/** Kind of object that a stream belongs to. */
export type StreamKind = 'run' | 'conversation' | 'reply' | 'execution' | 'promotion' | 'import';

/** Key of a stream in Redis. Spec: "A stream is anchored to a shared-store key, not to a node". */
export type StreamKey = `keelson:stream:${StreamKind}:${string}`;

export function streamKey(kind: StreamKind, id: string): StreamKey {
  return `keelson:stream:${kind}:${id}`;
}
