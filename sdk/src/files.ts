import type { CallOptions, Transport } from './transport.ts';

export interface StoredFile<Pid = string> {
  readonly pid: Pid;
  readonly name: string;
  readonly size: number;
  readonly contentType: string;
  readonly sha256: string;
  readonly createdAt: string;
}

/** Uploaded files, which fields of type `file` name. `Pid` is the type of their pids. */
export class Files<Pid extends string = string> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @param name that of a `File` where it is absent @throws KeelsonError */
  async upload(
    file: Blob,
    name = (file as Partial<File>).name ?? 'file',
    options?: CallOptions,
  ): Promise<StoredFile<Pid>> {
    const body = new FormData();
    body.set('file', file, name);
    return (await this.#transport.request<StoredFile<Pid>>('POST', '/api/files', { ...options, body })).data;
  }

  async info(pid: Pid, options?: CallOptions): Promise<StoredFile<Pid>> {
    return (await this.#transport.request<StoredFile<Pid>>('GET', `${pathOf(pid)}/info`, options)).data;
  }

  /** The response whose body are the bytes. @throws NotFoundError */
  download(pid: Pid, options?: CallOptions): Promise<Response> {
    return this.#transport.send('GET', pathOf(pid), options);
  }

  /** Removes a file of one's own that no record names. */
  async remove(pid: Pid, options?: CallOptions): Promise<void> {
    await this.#transport.request('DELETE', pathOf(pid), options);
  }
}

function pathOf(pid: string): string {
  return `/api/files/${encodeURIComponent(pid)}`;
}
