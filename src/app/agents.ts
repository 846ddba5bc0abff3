/** The tools for agents of a node, and the documents that describe them. */

import type { Deployment } from '../deployment/deployment.ts';
import { operatorTools } from '../handlers/agents/operator-tools.ts';
import { createShoppingTools } from '../handlers/agents/shopping-tools.ts';
import { extensionPath, extensionSchemaOf, profileOf, profilePath } from '../handlers/agents/ucp.ts';
import type { Security } from '../security/security.ts';
import { type AgentHandlerOptions, createAgentHandler } from '../servers/agents/mcp.ts';
import type { StaticDocument } from '../servers/documents/static-documents.ts';
import type { PathHandler } from '../servers/path-handler.ts';
import { version } from '../version.ts';
import type { Node } from './node.ts';

type AgentParts = { security: Security } & Omit<
  AgentHandlerOptions,
  'authenticate' | 'basePath' | 'corsOrigins' | 'sites' | 'tools' | 'version'
>;

/** Returns undefined when the deployment turns the tools off. */
export function createNodeAgents(
  { deployment }: Node,
  { security, ...answering }: AgentParts,
): PathHandler | undefined {
  const { basePath, agents, environments, server } = deployment;
  if (!agents) return undefined;
  const { shopping } = agents;
  const { corsOrigins } = server;
  const settings = shopping && environments.get(shopping.environment)!;
  return createAgentHandler({
    ...answering,
    ...{ basePath, version, corsOrigins },
    sites: shopping ? [...corsOrigins, shopping.url] : corsOrigins,
    tools: [...operatorTools, ...(shopping ? createShoppingTools({ shopping, settings: settings! }) : [])],
    authenticate: (call) =>
      security.authenticator.admit(call, {
        ...{ scope: 'any', access: 'read', writeKeyAllowed: false, neverPublic: true },
      }),
  });
}

/** Returns the documents of the Universal Commerce Protocol by path; none without tools for shoppers. */
export function documentsOfAgents({ agents, basePath }: Deployment): [string, StaticDocument][] {
  if (!agents?.shopping) return [];
  const documents = [
    [profilePath, profileOf(agents.shopping)],
    [extensionPath, extensionSchemaOf(agents.shopping)],
  ] as const;
  return documents.flatMap(([path, json]) => {
    const document = { contentType: 'application/json', body: JSON.stringify(json) };
    return [path, basePath + path].map((place): [string, StaticDocument] => [place, document]);
  });
}
