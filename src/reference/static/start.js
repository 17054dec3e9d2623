import { withOwnAddress } from './address.js';

const description = await fetch('/api/v1/openapi.json');

// Starts Scalar. It contacts no other server, and nothing asks for an API key: keys stay out of browsers.
Scalar.createApiReference('#app', {
  content: withOwnAddress(await description.text()),
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideTestRequestButton: true,
  hideClientButton: true,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  agent: { disabled: true },
  mcp: { disabled: true },
});
