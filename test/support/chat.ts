import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Watched } from './streams.ts';

export interface SayOptions {
  readonly baseUrl?: string;
  readonly conversationId?: string;
  readonly assistant?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a message to an assistant; resolves when the headers of its answer, the stream, are there. */
export function say(token: string, message: string, options: SayOptions = {}): Promise<Watched> {
  const { baseUrl = process.env.KEELSON_TEST_URL ?? '', conversationId, assistant = 'crm' } = options;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...options.headers };
  return new Promise((resolve, reject) => {
    const url = `${baseUrl}/api/ai/${assistant}/chat/stream`;
    const request = httpRequest(url, { method: 'POST', headers, agent: false }, (response: IncomingMessage) => {
      resolve(new Watched(request, response));
    });
    request.on('error', reject);
    request.end(JSON.stringify({ message, ...(conversationId && { conversationId }) }));
  });
}

/** What an answer's stream has said, in one piece. */
export function saidBy(watched: Watched): string {
  return watched
    .named('message.delta')
    .map(({ data }) => data.text as string)
    .join('');
}

/** The answer to a message, when it is complete. */
export async function replyTo(token: string, message: string, options: SayOptions = {}) {
  const watched = await say(token, message, options);
  await watched.over();
  const completed = watched.named('message.completed').at(-1)?.data as
    | { conversationId: string; text: string }
    | undefined;
  return { watched, text: completed?.text ?? '', conversationId: completed?.conversationId ?? '' };
}
