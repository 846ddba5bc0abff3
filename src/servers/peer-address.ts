/**
 * Whose call it is: the peer of the socket, or, behind proxies that the operator trusts, whom they name in `Forwarded`
 * (RFC 7239) or `X-Forwarded-For`.
 *
 * A proxy adds the address that it was called from at the end, so the list is read backwards, as long as it names trusted
 * proxies; what stands before is the caller's own word. Proxies write one of the two headers and pass the other as it came,
 * so where both are there and differ, one is the caller's invention, and neither is believed.
 */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Network } from '../deployment/deployment.ts';

/** Values of the two headers, several joined by commas. */
export type ForwardedHeaders = { forwarded?: string; forwardedFor?: string };

export type Peers = {
  /** @param socketAddress Of the other end of the connection. */
  addressOf(socketAddress: string, headers: ForwardedHeaders): string;
  /** Whether a connection is that of a trusted proxy, which carries the calls of many. */
  isProxy(socketAddress: string): boolean;
};

export function createPeers(trustedProxies: readonly Network[]): Peers {
  const proxies = new BlockList();
  for (const { address, bits, family } of trustedProxies) proxies.addSubnet(address, bits, family);
  const isProxy = (address: string) => {
    const version = trustedProxies.length > 0 ? isIP(address) : 0;
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };

  /** The nearest address that is no trusted proxy; undefined when the proxies name none that can be read. */
  const nearest = (addresses: readonly (string | undefined)[]): string | undefined => {
    let last: string | undefined;
    for (const address of addresses.toReversed()) {
      if (address === undefined) return last;
      if (!isProxy(address)) return address;
      last = address;
    }
    return last;
  };

  return {
    isProxy,
    addressOf(socketAddress, { forwarded, forwardedFor }) {
      if (!isProxy(socketAddress)) return socketAddress;
      const byStandard = forwarded === undefined ? undefined : nearest(readForwarded(forwarded));
      const byCustom = forwardedFor === undefined ? undefined : nearest(readForwardedFor(forwardedFor));
      if (forwarded !== undefined && forwardedFor !== undefined && byStandard !== byCustom)
        return socketAddress;
      return byStandard ?? byCustom ?? socketAddress;
    },
  };
}

/**
 * Whether the caller speaks TLS: with this port, or with a trusted proxy that says so in `Forwarded` or `X-Forwarded-Proto`. Of
 * several protocols the first is the caller's. The word of others is ignored.
 */
export function isSecure(peers: Pick<Peers, 'isProxy'>, { headers, socket }: IncomingMessage): boolean {
  if ('encrypted' in socket) return true;
  if (!peers.isProxy(socket.remoteAddress ?? '')) return false;
  const [, byStandard] = /(?:^|[;,])\s*proto="?([a-z]+)/i.exec(headers.forwarded ?? '') ?? [];
  const [byCustom] = headers['x-forwarded-proto']?.toString().split(',') ?? [];
  return (byStandard ?? byCustom)?.trim().toLowerCase() === 'https';
}

/** Of a request on the HTTP port. */
export function peerOf(peers: Peers, { headers, socket }: IncomingMessage): string {
  const { forwarded, 'x-forwarded-for': forwardedFor } = headers;
  return peers.addressOf(socket.remoteAddress ?? '', { forwarded, forwardedFor: forwardedFor?.toString() });
}

/** Elements whose `for` is no address (`unknown`, `_hidden`) are undefined. */
function readForwarded(value: string): (string | undefined)[] {
  return value.split(',').map((element) => {
    const pair = element.split(';').find((part) => /^\s*for=/i.test(part));
    return pair === undefined ? undefined : readNode(pair.slice(pair.indexOf('=') + 1).trim());
  });
}

function readForwardedFor(value: string): (string | undefined)[] {
  return value.split(',').map((element) => readNode(element.trim()));
}

/** `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`, each also in quotes. */
function readNode(node: string): string | undefined {
  const bare = node.replace(/^"(.*)"$/, '$1');
  const address = /^\[(.+)\](?::\d+)?$/.exec(bare)?.[1] ?? bare.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}
