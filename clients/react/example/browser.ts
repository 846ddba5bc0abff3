/** Takes over what the server rendered. */

import { createPersonalisation, type PersonalisationOptions } from '@personalisation/browser';
import { createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { createPersonalisationStore, type PersonalisationState } from '../src/index.ts';
import { App } from './page.ts';

const read = (id: string) => JSON.parse(document.getElementById(id)!.textContent!);
const options: PersonalisationOptions = read('options');
const state: PersonalisationState = read('state');

const store = createPersonalisationStore(createPersonalisation(options), state);
hydrateRoot(document.getElementById('root')!, createElement(App, { store }), {
  onRecoverableError: (error) => console.error('not the same as on the server:', error),
});
