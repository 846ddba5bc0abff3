/* Starts Scalar without the features that would call other hosts; the content security policy forbids those anyway. */
const base = new URL('.', location.href).pathname;
const openapi = await (await fetch('openapi.json')).json();
/** A proxy may serve the reference below a prefix. */
openapi.servers = [{ url: base.slice(0, -1) || '/' }];
openapi.components.securitySchemes.token.flows.clientCredentials.tokenUrl = `${base}oauth/token`;
globalThis.Scalar.createApiReference('#reference', {
  content: openapi,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'json',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'access_token' },
});
