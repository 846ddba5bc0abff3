/** Converts a decoded deployment file to settings: adds the defaults, and checks what message types cannot express. */

import type { DeploymentConfig, Traces } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { Violation } from '../errors.ts';
import { checkEach, checkNames, type Faults, isWebAddress, withDefaults, within } from './checks.ts';
import { convertAgents } from './convert-agents.ts';
import { convertEnvironment } from './convert-environment.ts';
import { convertKafka } from './convert-kafka.ts';
import { convertOidc } from './convert-oidc.ts';
import { convertNetworks, convertRateLimit, convertServer } from './convert-server.ts';
import { convertSmtp } from './convert-smtp.ts';
import {
  type AuthenticationSettings,
  type ConsoleSettings,
  type Deployment,
  defaultLimits,
  type TraceSettings,
} from './deployment.ts';

/** @param directory Base of relative paths in the file. */
export function convertDeployment(
  config: DeploymentConfig,
  directory: string,
): { deployment: Deployment; violations: Violation[] } {
  const violations: Violation[] = [];
  const fault: Faults = (pointer, detail) => violations.push({ pointer, detail });
  const limits = withDefaults(defaultLimits, config.limits);
  checkNames(config.environments, within(fault, 'environments'));
  const environments = config.environments.map((environment, i) =>
    convertEnvironment(environment, limits, within(fault, `environments/${i}`)),
  );
  const byName = new Map(environments.map((environment) => [environment.name, environment]));
  const deployment = {
    basePath: convertBasePath(config, fault),
    server: convertServer(config.server, directory, fault),
    traces: convertTraces(config.telemetry?.traces, fault),
    authentication: convertAuthentication(config, fault),
    rateLimits: config.rateLimits.map((limit, i) =>
      convertRateLimit(limit, within(fault, `rate_limits/${i}`)),
    ),
    limits,
    console: convertConsole(config, fault),
    agents: convertAgents(config.agents, byName, fault),
    webhooks: {
      allowedNetworks: convertNetworks(
        config.webhooks?.allowedNetworks,
        within(fault, 'webhooks/allowed_networks'),
      ),
      retentionDays: config.webhooks?.retentionDays ?? 7,
    },
    smtp: convertSmtp(config.alerts?.smtp, fault),
    kafka: convertKafka(config.kafka, byName, { directory, fault }),
    environments: byName,
    storage: { bucketCount: config.storage?.buckets },
    demo: false,
  };
  return { deployment, violations };
}

/** Paths that the service answers before it looks at the documented ones. */
const ownedPaths = /^\/(healthz|readyz|\.well-known|personalisation\.[^/]+)(\/|$)/;
const consolePaths = /^\/console(\/|$)/;

function convertBasePath({ basePath: path = '/api', console }: DeploymentConfig, fault: Faults): string {
  if (path === '/' || path === '') return '';
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path))
    fault('/base_path', 'Must be segments of letters, digits, . _ ~ - that each begin with /, e.g. /api/v1.');
  if (ownedPaths.test(path) || (console !== false && consolePaths.test(path)))
    fault('/base_path', 'Is a path of the service itself; choose another.');
  return path;
}

function convertConsole(config: DeploymentConfig, fault: Faults): ConsoleSettings | undefined {
  const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
  const detail = 'Must be an origin like https://images.shop.example.';
  checkEach(config.consoleImageOrigins, isOrigin, detail, within(fault, 'console_image_origins'));
  return config.console === false ? undefined : { imageOrigins: config.consoleImageOrigins };
}

function convertTraces(message: Traces | undefined, fault: Faults): TraceSettings | undefined {
  if (!message) return undefined;
  if (!isWebAddress(message.endpoint))
    fault('/telemetry/traces/endpoint', 'Must be an address like http://localhost:4318/v1/traces.');
  return { endpoint: message.endpoint, share: message.share ?? 1 };
}

function convertAuthentication(config: DeploymentConfig, fault: Faults): AuthenticationSettings {
  const message = config.authentication;
  const declared = message?.publicOperations ?? [];
  const issuer = message?.issuer;
  if (message?.nothingPublic && declared.length > 0)
    fault('/authentication/public_operations', 'Not allowed beside nothing_public.');
  if (issuer && !isWebAddress(issuer.jwksUri))
    fault('/authentication/issuer/jwks_uri', 'Must be an address like https://login.example/jwks.json.');
  const byDefault = message?.nothingPublic ? [] : ['recommendations', 'searches'];
  return {
    publicOperations: new Set(declared.length > 0 ? declared : byDefault),
    tokenLifetimeSeconds: message?.tokenLifetimeSeconds ?? 86_400,
    issuer: issuer && { name: issuer.name, jwksUri: issuer.jwksUri, audience: issuer.audience },
    oidc: convertOidc(config, fault),
  };
}
