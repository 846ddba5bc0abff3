/* Starts Scalar without the features that would call other hosts; the content security policy forbids those anyway. */
globalThis.Scalar.createApiReference('#reference', {
  url: 'openapi.json',
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
