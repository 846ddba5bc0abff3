/** A shop of one page: the address names the product, `#/trail-boots`; without one it is the home page. */

const client = personalisation.createPersonalisation({
  baseUrl: 'http://localhost:8080',
  environment: 'shop',
  writeKey: 'wk_…',
  consent: true, // where the law asks for it: what the visitor answered
});

const [title, buy, list] = ['title', 'buy', 'list'].map((id) => document.getElementById(id));
const product = () => decodeURIComponent(location.hash.slice(2));
let stopWatching = () => {};

async function showPage() {
  const id = product();
  title.textContent = id || 'For you';
  buy.hidden = !id;
  client.page(id ? { page_type: 'detail', action_item: id } : { page_type: 'home' });
  const list_name = id ? 'others like it' : 'for you';
  const { lists } = await client.recommend(
    { lists: [{ configuration_id: 'shop-home', list_name, list_size: 6 }] },
    { fallback: { [list_name]: ['trail-boots', 'day-pack'] } }, // if the service is away
  );
  stopWatching();
  stopWatching = client.show(list, lists[0], showProduct); // impressions and clicks from here on
}

function showProduct({ item_id, information_field }) {
  const element = document.createElement('li');
  const link = document.createElement('a');
  link.href = `#/${encodeURIComponent(item_id)}`;
  link.textContent = information_field ?? item_id;
  element.append(link);
  return element;
}

buy.onclick = () => client.track({ event_type: 'add_to_cart', action_item: product(), amount: 1 });
addEventListener('hashchange', showPage);
showPage();
