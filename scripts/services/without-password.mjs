/** Masks the password of a URL for error messages. */
export function withoutPassword(/** @type {string} */ url) {
  return url.replace(/\/\/([^/@]*?):[^/]*@/, '//$1:***@');
}
