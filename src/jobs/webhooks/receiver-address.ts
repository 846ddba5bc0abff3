/**
 * Addresses that webhooks may reach: public ones, and those of the allow list.
 *
 * Names are resolved and checked for each connection, so a name whose address changes after the
 * check (DNS rebinding) reaches nothing else.
 */

import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Network } from '../../deployment/deployment.ts';

/** Special-purpose IPv4 addresses (IANA registry): private, loopback, link-local with metadata, multicast, reserved. */
const privateIpv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];

/** Within global unicast (2000::/3): those that are special or embed an IPv4 address. */
const privateIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

function blockListOf(networks: readonly string[], family: Network['family']): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const ipv4 = blockListOf(privateIpv4, 'ipv4');
const ipv6 = blockListOf(privateIpv6, 'ipv6');
const globalUnicast = blockListOf(['2000::/3'], 'ipv6');

export type ReceiverAddresses = {
  /** Returns why a URL can never be a receiver's; undefined when it can. */
  faultOf(url: string): string | undefined;
  /** Resolves names for an agent; fails for addresses that are not allowed. */
  lookupFor(protocol: string): LookupFunction;
};

/** Characters of a URL. */
const longestUrl = 2_048;

/** @param allowed Networks that may be reached although they are not public, also without TLS. */
export function createReceiverAddresses(allowed: readonly Network[]): ReceiverAddresses {
  const list = new BlockList();
  for (const { address, bits, family } of allowed) list.addSubnet(address, bits, family);
  const isAllowed = (address: string, protocol: string): boolean => {
    const isIpv6 = isIP(address) === 6;
    if (list.check(address, isIpv6 ? 'ipv6' : 'ipv4')) return true;
    if (protocol !== 'https:') return false;
    return isIpv6
      ? globalUnicast.check(address, 'ipv6') && !ipv6.check(address, 'ipv6')
      : !ipv4.check(address, 'ipv4');
  };
  return {
    faultOf(url) {
      const parsed = URL.canParse(url) && url.length <= longestUrl ? new URL(url) : undefined;
      const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
      if (!isWeb || parsed.username !== '' || parsed.password !== '')
        return 'Must be an address like https://shop.example/hooks, without a password.';
      const host = parsed.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) === 0 || isAllowed(host, parsed.protocol)) return undefined;
      return refusalOf(host);
    },
    lookupFor: (protocol) => (hostname, options, callback) => {
      resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        const refused = error ?? addresses.find(({ address }) => !isAllowed(address, protocol));
        if (error) callback(error, []);
        else if (refused || addresses.length === 0) callback(new Error(refusalOf(hostname)), []);
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
      });
    },
  };
}

function refusalOf(host: string): string {
  return `${host} is not a public address, or uses http; list its network in webhooks.allowed_networks.`;
}
