/**
 * The address of a call's peer: that of the socket, or behind trusted proxies the one that they report in `Forwarded`
 * (RFC 7239) or `X-Forwarded-For`.
 *
 * A proxy appends the address of its peer, so the list is read backwards while it names trusted proxies; earlier entries are
 * the client's claim. Proxies write one of the two headers and pass the other on unchanged. If both are present and differ,
 * one may be forged, and neither is used.
 */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Network } from '../deployment/deployment.ts';

/** Values of the two headers; repeated headers are joined by commas. */
export type ForwardedHeaders = { forwarded?: string; forwardedFor?: string };

export type Peers = {
  /** @param socketAddress Remote address of the connection. */
  addressOf(socketAddress: string, headers: ForwardedHeaders): string;
  /** Tests for a trusted proxy, whose connections carry the calls of many peers. */
  isProxy(socketAddress: string): boolean;
};

export function createPeers(trustedProxies: readonly Network[]): Peers {
  const proxies = new BlockList();
  for (const { address, bits, family } of trustedProxies) proxies.addSubnet(address, bits, family);
  const isProxy = (address: string) => {
    const version = trustedProxies.length > 0 ? isIP(address) : 0;
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };

  /** Returns the last address that is not a trusted proxy; undefined when the proxies report no valid address. */
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
 * Tests whether the client uses TLS, with this port or with a trusted proxy that reports it in `Forwarded` or
 * `X-Forwarded-Proto`. The first of several protocols is the client's.
 */
export function isSecure(peers: Pick<Peers, 'isProxy'>, { headers, socket }: IncomingMessage): boolean {
  if ('encrypted' in socket) return true;
  if (!peers.isProxy(socket.remoteAddress ?? '')) return false;
  const [, byStandard] = /(?:^|[;,])\s*proto="?([a-z]+)/i.exec(headers.forwarded ?? '') ?? [];
  const [byCustom] = headers['x-forwarded-proto']?.toString().split(',') ?? [];
  return (byStandard ?? byCustom)?.trim().toLowerCase() === 'https';
}

export function peerOf(peers: Peers, { headers, socket }: IncomingMessage): string {
  const { forwarded, 'x-forwarded-for': forwardedFor } = headers;
  return peers.addressOf(socket.remoteAddress ?? '', { forwarded, forwardedFor: forwardedFor?.toString() });
}

/** Elements without an address in `for` (`unknown`, `_hidden`) are undefined. */
function readForwarded(value: string): (string | undefined)[] {
  return value.split(',').map((element) => {
    const pair = element.split(';').find((part) => /^\s*for=/i.test(part));
    return pair === undefined ? undefined : readNode(pair.slice(pair.indexOf('=') + 1).trim());
  });
}

function readForwardedFor(value: string): (string | undefined)[] {
  return value.split(',').map((element) => readNode(element.trim()));
}

/** Accepts `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` and `[2001:db8::1]:80`, each also in quotes. */
function readNode(node: string): string | undefined {
  const bare = node.replace(/^"(.*)"$/, '$1');
  const address = /^\[(.+)\](?::\d+)?$/.exec(bare)?.[1] ?? bare.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}

/** Returns what the headers of a request on the HTTP port tell of its caller. */
export function callerOf(peers: Peers, request: IncomingMessage) {
  const { authorization, origin, 'user-agent': userAgent, 'sec-gpc': globalPrivacyControl } = request.headers;
  const refusesProfiling = globalPrivacyControl === '1';
  return { authorization, origin, userAgent, refusesProfiling, peer: peerOf(peers, request) };
}
