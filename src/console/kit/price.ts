import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { useConsole } from '../service/console-context.ts';
import { formatMoney } from './format.ts';

/** What an item costs, in words; undefined where it does not say. */
export function usePrice(item: Item | undefined): string | undefined {
  const { environment } = useConsole();
  const price = item?.properties?.price;
  return typeof price === 'number' ? formatMoney(price, environment.currency) : undefined;
}
