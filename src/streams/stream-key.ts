/** What is streamed. One stream belongs to one of these, whichever nodes write and read it. */
export type StreamKind = 'run' | 'conversation' | 'reply' | 'execution' | 'promotion';

/** Names a stream in the shared store. Spec: "A stream is anchored to a shared-store key, not to a node". */
export type StreamKey = `keelson:stream:${StreamKind}:${string}`;

export function streamKey(kind: StreamKind, id: string): StreamKey {
  return `keelson:stream:${kind}:${id}`;
}
