/** Entries that an export or a check of the whole trail reads at a time. */
export const AUDIT_BATCH = 1_000;
