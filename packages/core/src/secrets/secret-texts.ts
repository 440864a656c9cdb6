/** Places of a text where a secret stands by the way texts are written, whether its value is known or not. */

/** `//user:password@host`: what stands between the colon and the at sign. */
const userInfo = /(\/\/[^\s/?#:@"'<>]{0,256}:)([^\s/?#@"'<>]+)(?=@)/g;
/** `Bearer x`, `Basic x`, as the header of a request has it. */
const scheme = /\b((?:bearer|basic)\s{1,3})([\w.~+/=-]{6,})/gi;
/** `authorization: …` up to the end of its line. */
const header = /\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)(\s{0,3}:\s{0,3})(?!\s)([^\r\n"']+)/gi;
/** `?key=value`, `key=value`. */
const assignment = /(?<![\w.-])([\w.-]{2,256})(=)([^\s&#;,"'<>()]+)/g;
/** `"key":"value"`, as in JSON. */
const member = /"([\w.-]{2,256})"(\s{0,3}:\s{0,3})("(?:[^"\\]|\\.)*"|\d+)/g;

export function withoutMarked(text: string, hides: (key: string) => boolean, mark: string): string {
  return text
    .replace(userInfo, `$1${mark}`)
    .replace(header, `$1$2${mark}`)
    .replace(scheme, `$1${mark}`)
    .replace(assignment, (whole, key: string, between: string) => (hides(key) ? `${key}${between}${mark}` : whole))
    .replace(member, (whole, key: string, between: string) => (hides(key) ? `"${key}"${between}"${mark}"` : whole));
}
