/** How long a looser approval policy waits for the second person. */
export const PROPOSAL_HOURS = 168;
/** Characters of a secret: room for a private key. */
export const MAX_SECRET_LENGTH = 8_192;
