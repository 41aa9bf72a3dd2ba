import { createServer } from 'node:http';
import { Redis } from 'ioredis';

/**
 * Baseline of streams: a bare `node:http` and one pub/sub connection, without log-in, storage or resuming.
 * `GET /<channel>` relays the channel.
 */
const redis = new Redis(process.env.REDIS_URL ?? '');
const clients = new Map<string, (message: string) => void>();
redis.on('message', (channel: string, message: string) => clients.get(channel)?.(message));

createServer((request, response) => {
  const channel = (request.url ?? '').slice(1);
  if (channel === '') return response.end();
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  clients.set(channel, (message) => response.write(`event: tick\ndata: ${message}\n\n`));
  void redis.subscribe(channel).then(() => response.write(': open\n\n'));
}).listen(Number(process.env.PORT));
