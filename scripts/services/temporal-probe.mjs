import { connect } from 'node:http2';

/**
 * Asks an address (`host:port`) for Temporal's system information in plain gRPC, which needs no package and
 * tells other servers (HTTP, TLS) apart.
 * @returns {Promise<string | undefined>} why it is not a Temporal server; undefined if it is
 */
export async function temporalTrouble(/** @type {string} */ address) {
  if (!/^[^/\s]+:\d+$/.test(address)) return 'it is not of the form host:port';
  const { status, trouble } = await call(address, 'GetSystemInfo', Buffer.alloc(0));
  return status === '0' ? undefined : (trouble ?? `it answers gRPC status ${status}`);
}

/** Whether a server has a namespace: the dev server listens before it has. */
export async function hasNamespace(/** @type {string} */ address, /** @type {string} */ namespace) {
  const name = Buffer.from(namespace);
  const request = Buffer.concat([Buffer.from([0x0a, name.length]), name]); // protobuf: field 1, a string
  return (await call(address, 'DescribeNamespace', request)).status === '0';
}

/**
 * Makes a unary gRPC call without encryption.
 * @param {string} address
 * @param {string} method of Temporal's WorkflowService
 * @param {Buffer} request a protobuf message
 * @returns {Promise<{status?: string, trouble?: string}>}
 */
function call(address, method, request, timeoutMs = 3_000) {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const finish = (/** @type {{status?: string, trouble?: string}} */ result) => {
      clearTimeout(timer);
      session.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish({ trouble: `no answer within ${timeoutMs / 1000} s` }), timeoutMs);
    const fail = (/** @type {NodeJS.ErrnoException} */ error) => {
      const cause = error.cause instanceof Error ? error.cause : error; // of a stream whose session has failed
      finish({ trouble: error.code === 'ERR_HTTP2_ERROR' ? 'it speaks another protocol' : cause.message });
    };
    session.on('error', fail);
    session.on('close', () => finish({ trouble: 'it closes the connection' }));

    const stream = session.request({
      ':method': 'POST',
      ':path': `/temporal.api.workflowservice.v1.WorkflowService/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', fail);
    /** @type {string | undefined} */
    let status;
    stream.on('response', (headers) => (status = headers['grpc-status']?.toString())); // only of an immediate failure
    stream.on('trailers', (trailers) => (status = trailers['grpc-status']?.toString()));
    stream.on('end', () => finish(status === undefined ? { trouble: 'it does not speak gRPC' } : { status }));
    stream.resume();
    const prefix = Buffer.alloc(5); // not compressed, length
    prefix.writeUInt32BE(request.length, 1);
    stream.end(Buffer.concat([prefix, request]));
  });
}
