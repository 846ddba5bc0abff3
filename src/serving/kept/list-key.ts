/** Keys of a request's lists: a UUID each, made from the request's, so that whoever has that finds the lists. */

const digestStart = 28;

/**
 * @param requestId A UUID.
 * @param place Of the list in its request, from 0.
 */
export function listKeyOf(requestId: string, place: number): string {
  const digits = Number.parseInt(requestId.slice(digestStart), 16);
  const own = (digits + place + 1) % 2 ** 32;
  return requestId.slice(0, digestStart) + own.toString(16).padStart(8, '0');
}
