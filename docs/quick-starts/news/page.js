/** A newspaper of one page: `#/ferry` is an article, no name the front page. */

const client = personalisation.createPersonalisation({
  baseUrl: 'http://localhost:8080',
  environment: 'news',
  writeKey: 'wk_…',
  consent: true, // where the law asks for it: what the reader answered
});

const [title, article, list] = ['title', 'article', 'list'].map((id) => document.getElementById(id));
let stopWatching = () => {};
let reading;

async function showPage() {
  const id = decodeURIComponent(location.hash.slice(2));
  title.textContent = id || 'The front page';
  article.replaceChildren(...(id ? sections(4) : []));
  scrollTo(0, 0);
  client.page(id ? { page_type: 'detail', action_item: id } : { page_type: 'home' });
  followReading(id);
  const list_name = id ? 'read next' : 'front';
  const { lists } = await client.recommend(
    { lists: [{ configuration_id: 'news-front', list_name, list_size: 5 }] },
    { fallback: { [list_name]: ['ferry', 'budget', 'derby'] } },
  );
  stopWatching();
  stopWatching = client.show(list, lists[0], showTeaser);
}

/** How far somebody has read: a checkpoint when the end of each section comes into view. */
function followReading(action_item) {
  reading?.disconnect();
  const ends = [...article.querySelectorAll('hr')];
  reading = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      reading.unobserve(target);
      const progress = (ends.indexOf(target) + 1) / ends.length;
      client.track({ event_type: 'checkpoint', action_item, progress });
    }
  });
  for (const end of ends) reading.observe(end);
}

function sections(count) {
  return Array.from({ length: count }, () => {
    const section = document.createElement('section');
    section.append(document.createElement('hr'));
    section.style.alignContent = 'end';
    return section;
  });
}

function showTeaser({ item_id, information_field }) {
  const element = document.createElement('li');
  const link = document.createElement('a');
  link.href = `#/${encodeURIComponent(item_id)}`;
  link.textContent = information_field ?? item_id;
  element.append(link);
  return element;
}

addEventListener('hashchange', showPage);
showPage();
