/** Models, pages and commands of one document: each page takes about 24 kB. */
export const MAX_DESCRIBED = 1_000;
export const ASSET_MAX_AGE_SECONDS = 3_600;
