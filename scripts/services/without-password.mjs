/** A URL as it may be shown: an error message ends up in logs and screenshots. */
export function withoutPassword(/** @type {string} */ url) {
  return url.replace(/\/\/([^/@]*?):[^/]*@/, '//$1:***@');
}
