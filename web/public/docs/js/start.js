import { withOwnAddress } from './address.js';

const description = await fetch('/api/v1/openapi.json').catch(() => undefined);
if (description?.ok) start(withOwnAddress(await description.text()));
else {
  document.querySelector('#app').textContent =
    'The description of the API could not be loaded. Reload the page in a moment.';
}

// Starts Scalar. It contacts no other server, and nothing asks for an API key: keys stay out of browsers.
function start(content) {
  Scalar.createApiReference('#app', {
    content,
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
}
