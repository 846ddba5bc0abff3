/** A page with a list and a search, as server and browser both render it. */

import { createElement, useState } from 'react';
import {
  type ListState,
  PersonalisationProvider,
  type PersonalisationStore,
  useRecommendations,
  useSearch,
} from '../src/index.ts';

export const forYou = { configuration_id: 'all', list_name: 'for you', list_size: 4, page_type: 'home' };

function Items({ id, state: { items, status, ref } }: { id: string; state: ListState }) {
  const children = items.map(({ item_id, information_field }) =>
    createElement('li', { key: item_id, 'data-item': item_id }, information_field),
  );
  return createElement('ul', { id, ref, 'data-status': status }, children);
}

function Results({ q }: { q: string }) {
  return createElement(Items, { id: 'results', state: useSearch({ q, page_type: 'search' }) });
}

function Home() {
  const [q, setQuery] = useState('');
  const onChange = (event: { target: { value: string } }) => setQuery(event.target.value);
  return createElement(
    'main',
    null,
    createElement('input', { name: 'q', value: q, onChange }),
    q && createElement(Results, { q }),
    createElement(Items, { id: 'for-you', state: useRecommendations(forYou) }),
  );
}

export function App({ store }: { store: PersonalisationStore }) {
  return createElement(PersonalisationProvider, { store }, createElement(Home));
}
