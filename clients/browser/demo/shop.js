/** A shop of one page: home, search results and an item's page, by the address; the service does the rest. */

const settings = JSON.parse(document.getElementById('settings').textContent);
const consentKey = 'shop-consent';

const client = personalisation.createPersonalisation({
  baseUrl: settings.baseUrl,
  environment: settings.environment,
  writeKey: settings.writeKey,
  timeoutMs: settings.timeoutMs,
  consent: localStorage.getItem(consentKey) === 'yes',
});

const find = (id) => document.getElementById(id);
let stopWatching = () => {};
let leaving = new AbortController();

/** Shows the page of the address and drops pending answers of the last page. */
async function route() {
  leaving.abort();
  leaving = new AbortController();
  stopWatching();
  find('list').replaceChildren();
  const { pathname, searchParams } = new URL(location.href);
  const [, area, name] = pathname.split('/').map(decodeURIComponent);
  try {
    if (area === 'items') await showItem(name);
    else if (area === 'search') await showResults(searchParams.get('q'));
    else await showHome();
  } catch (error) {
    if (error.name !== 'AbortError') console.warn(error.message);
  }
}

async function showHome() {
  find('title').textContent = 'For you';
  find('buy').hidden = true;
  client.page({ page_type: 'home' });
  await showLists('for you');
}

async function showItem(itemId) {
  find('title').textContent = itemId;
  find('buy').hidden = false;
  client.page({ page_type: 'detail', action_item: itemId, action_item_type: settings.itemType });
  await showLists('like this');
}

async function showLists(list_name) {
  const lists = [{ configuration_id: settings.configuration, list_name, list_size: 8 }];
  const fallback = { [list_name]: settings.bestSellers };
  const answer = await client.recommend({ lists }, { fallback, signal: leaving.signal });
  show(answer.lists[0]);
}

async function showResults(q) {
  find('title').textContent = `Results for ${q}`;
  find('buy').hidden = true;
  client.page({ page_type: 'search' });
  const { lists } = await client.search({ q, limit: 8 }, { signal: leaving.signal });
  if (lists.length > 0) show(lists[0]);
}

function show(list) {
  stopWatching = client.show(find('list'), list, (item) => {
    const link = document.createElement('a');
    link.href = `/items/${encodeURIComponent(item.item_id)}`;
    link.dataset.route = '';
    link.textContent = item.title || item.information_field || item.item_id;
    const element = document.createElement('li');
    element.dataset.itemType = item.item_type ?? settings.itemType;
    element.append(link);
    return element;
  });
  find('list').dataset.shown = list.list_name;
}

function go(href) {
  history.pushState(null, '', href);
  void route();
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-route]');
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  go(link.href);
});
addEventListener('popstate', () => void route());

find('search').addEventListener('submit', (event) => {
  event.preventDefault();
  go(`/search?q=${encodeURIComponent(event.target.elements.q.value)}`);
});

let typing = new AbortController();
find('search').elements.q.addEventListener('input', async (event) => {
  typing.abort();
  typing = new AbortController();
  try {
    const { completions } = await client.complete({ q: event.target.value }, { signal: typing.signal });
    find('completions').textContent = completions.map(({ title }) => title).join(' · ');
  } catch {
    // Whoever types does not need to hear of it.
  }
});

find('buy').addEventListener('click', () => {
  const action_item = location.pathname.split('/')[2];
  client.track({ event_type: 'purchase', action_item, action_item_type: settings.itemType, amount: 1 });
});

function decide(answer) {
  localStorage.setItem(consentKey, answer);
  client.setConsent(answer === 'yes');
  find('consent').hidden = true;
}
find('agree').addEventListener('click', () => decide('yes'));
find('refuse').addEventListener('click', () => decide('no'));
find('consent').hidden = localStorage.getItem(consentKey) !== null;

void route();
