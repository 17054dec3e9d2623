import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { reference } from './reference/plugin.ts';

/** React Aria brings its strings in 34 languages; the application speaks two. */
const SPOKEN = /(?:nb-NO|en-US)\.mjs$/;

function dropLanguages(): Plugin {
  return {
    name: 'drop-languages',
    enforce: 'pre',
    load(id) {
      const path = id.split('?')[0]!;
      return /\/intl\/[^/]+\/\w{2}-\w{2}\.mjs$/.test(path) && !SPOKEN.test(path)
        ? 'export default {}'
        : undefined;
    },
  };
}

export default defineConfig({
  plugins: [react(), dropLanguages(), reference()],
  // The service puts a new nonce in its place in each answer.
  html: { cspNonce: 'NONCE' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // A data: address would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    target: 'es2023',
    // The first script names every other one: names that are only a hash make it smaller.
    rollupOptions: {
      output: {
        chunkFileNames: 'assets/[hash].js',
        assetFileNames: 'assets/[hash][extname]',
        // What every visit needs is one file instead of twelve, which compresses better.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] },
      },
    },
  },
  server: { proxy: { '/app/api': 'http://127.0.0.1:3000' } },
});
