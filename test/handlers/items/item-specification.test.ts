import test from 'ava';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { checkItem } from '../../../src/handlers/items/item-specification.ts';

const deployment = `environments:
  - name: shop
    item_types:
      - name: car
        properties: [ { name: l/100km, type: number, required: true }, { name: CO2~class, type: string } ]`;

test('a pointer to a property is valid for any property name', (t) => {
  const itemType = parseDeployment(deployment, 'test.yaml').environments.get('shop')!.itemTypes.get('car')!;
  const identity = { environment: 'shop', itemType: 'car', itemId: 'c' };
  const pointersOf = (properties: Record<string, unknown>) =>
    checkItem(identity, properties, properties, itemType).map(({ pointer }) => pointer);
  t.deepEqual(pointersOf({ 'l/100km': 5.1, 'CO2~class': 'A' }), []);
  t.deepEqual(pointersOf({ 'l/100km': 'little', 'CO2~class': 2 }), ['/l~1100km', '/CO2~0class']);
  t.deepEqual(pointersOf({ 'km/h': 180 }), ['/km~1h', '/l~1100km']);
});
