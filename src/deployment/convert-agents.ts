/** The tools for agents of a deployment file. */

import type { Agents } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { AgentSettings } from './agent-settings.ts';
import { type Faults, isWebAddress } from './checks.ts';
import type { EnvironmentSettings } from './deployment.ts';

/** Returns undefined when the deployment turns the tools off. */
export function convertAgents(
  message: Agents | undefined,
  environments: ReadonlyMap<string, EnvironmentSettings>,
  fault: Faults,
): AgentSettings | undefined {
  if (message?.enabled === false) return undefined;
  const shopping = message?.shopping;
  if (!shopping) return {};
  const { environment, configurationId, priceProperty = 'price', pageType = 'agent' } = shopping;
  const url = shopping.url.replace(/\/+$/, '');
  if (!isWebAddress(url)) fault('/agents/shopping/url', 'Must be an address like https://shop.example.');
  const settings = environments.get(environment);
  if (settings) checkProducts(settings, priceProperty, fault);
  else fault('/agents/shopping/environment', 'Must be the name of an environment of this file.');
  return { shopping: { environment, url, configurationId, priceProperty, pageType } };
}

function checkProducts(settings: EnvironmentSettings, price: string, fault: Faults): void {
  const { currency, returnedFields, properties } = settings;
  const pointer = '/agents/shopping/environment';
  if (currency === undefined) fault(pointer, 'The environment must declare a currency.');
  if (!returnedFields.has('title')) fault(pointer, 'The environment must return the field title.');
  if (properties.get(price)?.type !== 'number' || !returnedFields.has(price))
    fault('/agents/shopping/price_property', `${JSON.stringify(price)} must be a returnable number.`);
}
