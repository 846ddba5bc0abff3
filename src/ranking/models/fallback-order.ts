/** Orders trending items before the others, as the service's fallback does. @param items All, in the order of the others. */
export function orderFallback(trendingOrder: Int32Array, items: Int32Array): Int32Array {
  const isTrending = new Uint8Array(items.length);
  for (const item of trendingOrder) isTrending[item] = 1;
  const order = new Int32Array(items.length);
  order.set(trendingOrder);
  order.set(
    items.filter((item) => !isTrending[item]),
    trendingOrder.length,
  );
  return order;
}
