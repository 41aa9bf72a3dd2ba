/** The newest versions of a resource that are listed. */
export const MAX_LISTED_VERSIONS = 500;
