/** Renders the page with its lists, for the visitor of the browser client's cookie. */

import { createPersonalisation, deviceCookie, type PersonalisationOptions } from '@personalisation/browser';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createPersonalisationStore, recommendationsQuestion } from '../src/index.ts';
import { App, forYou } from './page.ts';

/** @param cookies The request's `Cookie` header. */
export async function renderPage(cookies: string, options: PersonalisationOptions): Promise<string> {
  const deviceId = new RegExp(`${deviceCookie}=([^;]+)`).exec(cookies)?.[1];
  const store = createPersonalisationStore(createPersonalisation({ ...options, deviceId }));
  await store.load(recommendationsQuestion(forYou));
  const markup = renderToString(createElement(App, { store }));
  return `<!doctype html><meta charset="utf-8"><title>Home</title><div id="root">${markup}</div>
    ${data('options', options)}${data('state', store.dehydrate())}<script type="module" src="/browser.js"></script>`;
}

function data(id: string, value: unknown): string {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="${id}">${json}</script>`;
}
