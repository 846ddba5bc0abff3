/**
 * Returns a 32-bit hash of a text (FNV-1a). Different texts may share one; that is rare enough for subjects.
 *
 * @param start Hash of what precedes the text [none].
 */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
