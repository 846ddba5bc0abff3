/* Starts the renderer. What would ask other hosts is off; the content security policy would refuse it anyway. */
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
