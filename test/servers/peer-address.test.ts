import test from 'ava';
import { parseNetwork } from '../../src/deployment/networks.ts';
import { createPeers } from '../../src/servers/peer-address.ts';

const proxy = '10.0.0.7';
const caller = '203.0.113.9';

type Row = {
  why: string;
  trusted?: string[];
  socket?: string;
  forwarded?: string;
  forwardedFor?: string;
  address: string;
};

const rows: Row[] = [
  {
    why: 'without trusted proxies the headers are ignored',
    trusted: [],
    forwardedFor: caller,
    address: proxy,
  },
  {
    why: 'an untrusted address is the peer',
    socket: '192.0.2.1',
    forwardedFor: caller,
    address: '192.0.2.1',
  },
  { why: 'a trusted proxy names the caller', forwardedFor: caller, address: caller },
  {
    why: 'a trusted proxy names the caller by the standard',
    forwarded: `for=${caller};proto=https`,
    address: caller,
  },
  {
    why: 'a proxy is known in its IPv6 spelling',
    socket: `::ffff:${proxy}`,
    forwardedFor: caller,
    address: caller,
  },
  {
    why: 'what stands before the nearest stranger is invented',
    forwardedFor: `1.1.1.1, ${caller}`,
    address: caller,
  },
  {
    why: 'several trusted proxies are passed over',
    forwardedFor: `1.1.1.1, ${caller}, 10.1.1.1, 10.0.0.8`,
    address: caller,
  },
  {
    why: 'a call of the proxies themselves is the farthest one’s',
    forwardedFor: '10.1.1.1, 10.0.0.8',
    address: '10.1.1.1',
  },
  { why: 'an IPv6 caller stands in brackets', forwarded: 'For="[2001:db8::1]:4711"', address: '2001:db8::1' },
  { why: 'a port is left out', forwardedFor: `${caller}:80`, address: caller },
  { why: 'a hidden caller counts as the proxy', forwarded: 'for=_hidden', address: proxy },
  {
    why: 'a hidden caller behind two proxies counts as the farther one',
    forwarded: 'for=unknown, for=10.0.0.9',
    address: '10.0.0.9',
  },
  { why: 'nonsense counts as the proxy', forwardedFor: 'a"; drop, 999.1.1.1', address: proxy },
  { why: 'an empty header counts as the proxy', forwardedFor: '', address: proxy },
  { why: 'no header counts as the proxy', address: proxy },
  {
    why: 'two headers that agree are believed',
    forwarded: `for=${caller}`,
    forwardedFor: caller,
    address: caller,
  },
  {
    why: 'of two that differ one is invented, so neither is',
    forwarded: 'for=1.1.1.1',
    forwardedFor: caller,
    address: proxy,
  },
  {
    why: 'an unreadable one beside the other is invented too',
    forwarded: 'x',
    forwardedFor: caller,
    address: proxy,
  },
];

for (const {
  why,
  trusted = ['10.0.0.0/8', '2001:db8:ffff::/48'],
  socket = proxy,
  address,
  ...headers
} of rows) {
  test(why, (t) => {
    t.is(createPeers(trusted.map((network) => parseNetwork(network)!)).addressOf(socket, headers), address);
  });
}
