import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate that signs itself, and its key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** One DER value: tag, length, content. */
function der(tag: number, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const [SEQUENCE, SET, OID, OCTETS, BITS, UTF8, TIME] = [0x30, 0x31, 0x06, 0x04, 0x03, 0x0c, 0x18];
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OID, [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]));

const time = (date: Date): Buffer => der(TIME, Buffer.from(date.toISOString().replace(/\.\d+|[-:T]/g, '')));
const extension = (id: number[], value: Buffer): Buffer => der(SEQUENCE, der(OID, id), der(OCTETS, value));

/** A certificate for one host name, valid for a day around now or expired an hour ago. */
export function certificateFor(hostname: string, expired = false): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const hoursFromNow = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, [0x55, 4, 3]), der(UTF8, Buffer.from(hostname)))));
  const alternatives = der(SEQUENCE, der(0x82, Buffer.from(hostname)));
  const isAuthority = der(SEQUENCE, der(0x01, [255]));
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, time(hoursFromNow(-24)), time(hoursFromNow(expired ? -1 : 24))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extension([0x55, 0x1d, 0x11], alternatives), extension([0x55, 0x1d, 0x13], isAuthority))),
  );
  const signature = der(BITS, [0], sign('sha256', toBeSigned, privateKey));
  const bytes = der(SEQUENCE, toBeSigned, ECDSA_WITH_SHA256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
