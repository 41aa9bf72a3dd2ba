/** How long a looser approval policy waits for the second person. */
export const PROPOSAL_HOURS = 168;
/** Characters of a secret: room for a private key. */
export const MAX_SECRET_LENGTH = 8_192;
/** Bytes of an export: as many as an import may have. */
export const MAX_EXPORT_BYTES = 32 * 1024 * 1024;
