import { streamOf, type StreamEvent, type StreamOptions } from './streams.ts';
import type { CallOptions, Transport } from './transport.ts';

/** What goes on after its request is answered: a state, and the events up to its end. */
export class Watched<State, Event = State> {
  readonly pid: string;
  protected readonly transport: Transport;
  protected readonly path: string;

  constructor(transport: Transport, base: string, pid: string) {
    this.pid = pid;
    this.transport = transport;
    this.path = `${base}/${encodeURIComponent(pid)}`;
  }

  async get(options?: CallOptions): Promise<State> {
    return (await this.transport.request<State>('GET', this.path, options)).data;
  }

  /** What becomes of it, up to the event `end`. */
  events(options?: StreamOptions): AsyncGenerator<StreamEvent<Event>, void, undefined> {
    return streamOf(this.transport, `${this.path}/stream`, options);
  }

  /** Its state once it has ended. */
  protected async ended({ signal }: CallOptions = {}): Promise<State> {
    for await (const _event of this.events({ signal }));
    return this.get({ signal });
  }

  protected async post(request: string, body: object = {}): Promise<State> {
    return (await this.transport.request<State>('POST', `${this.path}/${request}`, { body })).data;
  }
}
