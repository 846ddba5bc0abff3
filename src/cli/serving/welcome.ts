/** The text that a started service prints: addresses, credentials, retention and a first request. */

import { relative } from 'node:path';
import type { App } from '../../app.ts';
import type { Deployment } from '../../deployment/deployment.ts';

/** Addresses that mean all interfaces. */
const anyHosts = new Set(['0.0.0.0', '::']);

export function welcome(app: App, deployment: Deployment, host = '0.0.0.0'): string {
  const { port, grpcPort, adminPort, adminCredentials } = app;
  const scheme = deployment.server.tls ? 'https' : 'http';
  const bare = anyHosts.has(host) ? 'localhost' : host;
  const name = bare.includes(':') ? `[${bare}]` : bare;
  const baseUrl = `${scheme}://${name}:${port}${deployment.basePath}`;
  const credentials =
    adminCredentials.outcome === 'missing' ? adminCredentials.advice : shortPath(adminCredentials.path);
  const metrics =
    adminPort === undefined ? '' : `\n  Metrics             http://localhost:${adminPort}/metrics`;
  return `
The service is ready.

  HTTP (JSON)         ${baseUrl}
  gRPC                ${name}:${grpcPort}
  Interface           ${baseUrl}/docs${metrics}
  Admin credentials   ${credentials}${consoleLine(app, deployment, name)}
  Retention           ${retentionOf(deployment)}

Try it:

  ${tryCommand(baseUrl, deployment)}
`;
}

const retentionNames: Readonly<Record<string, string>> = {
  eventsDays: 'events',
  historiesDays: 'histories',
  metricsDays: 'metrics',
  metricNamesDays: 'metrics by name',
};

function retentionOf({ environments }: Deployment): string {
  const limits = [...environments.values()].flatMap(({ name, retention }) => {
    const days = Object.entries(retention).filter(([, limit]) => limit !== undefined);
    const each = days.map(([data, limit]) => `${retentionNames[data] ?? data} ${limit} days`);
    return each.length > 0 ? [`${name}: ${each.join(', ')}`] : [];
  });
  return limits.length > 0 ? `${limits.join('; ')}; all else unlimited` : 'unlimited';
}

/** The link signs in once, at this machine; elsewhere, users sign in with a client's credentials. */
function consoleLine({ port, signInCode }: App, { server, console }: Deployment, name: string): string {
  if (!console) return '';
  const url = `${server.tls ? 'https' : 'http'}://${name}:${port}/console`;
  return `\n  Console             ${signInCode ? `${url}#code=${signInCode}` : url}`;
}

/** Returns the path relative to the current folder when it is below it. */
function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}

function tryCommand(baseUrl: string, deployment: Deployment): string {
  if (!deployment.demo) return `curl -s ${baseUrl}/openapi.json`;
  const body = {
    device_id: 'anna-phone',
    user_id: 'anna',
    page_type: 'home',
    lists: [{ configuration_id: 'home', list_name: 'for you', list_size: 10 }],
  };
  return `curl -s ${baseUrl}/demo/recommendations/requests -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}
