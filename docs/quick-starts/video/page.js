/** A video site of one page: `#/tide` plays a film, no name is the home page. */

const client = personalisation.createPersonalisation({
  baseUrl: 'http://localhost:8080',
  environment: 'video',
  writeKey: 'wk_…',
  consent: true, // where the law asks for it: what the viewer answered
});

const [title, player, like, list] = ['title', 'player', 'like', 'list'].map((id) =>
  document.getElementById(id),
);
const film = () => decodeURIComponent(location.hash.slice(2));
let stopWatching = () => {};
/** Quarters of the film that were told. */
let toldQuarters = 0;

async function showPage() {
  const id = film();
  title.textContent = id || 'Tonight';
  player.hidden = like.hidden = !id;
  if (id) player.src = `/films/${id}`;
  else player.removeAttribute('src');
  toldQuarters = 0;
  client.page(id ? { page_type: 'detail', action_item: id } : { page_type: 'home' });
  const list_name = id ? 'after this' : 'tonight';
  const { lists } = await client.recommend(
    { lists: [{ configuration_id: 'video-home', list_name, list_size: 4, viewer_age: 16 }] },
    { fallback: { [list_name]: ['bees', 'otto'] } },
  );
  stopWatching();
  stopWatching = client.show(list, lists[0], showFilm);
}

/** A checkpoint at each quarter; the player says several times a second where it is. */
player.ontimeupdate = () => {
  const progress = player.currentTime / player.duration;
  const quarters = Math.floor(progress * 4);
  if (quarters <= toldQuarters) return;
  toldQuarters = quarters;
  client.track({ event_type: 'checkpoint', action_item: film(), progress });
};

like.onclick = () =>
  client.track({
    event_type: 'item_interaction',
    interaction_type: 'like',
    page_type: 'detail',
    action_item: film(),
  });

function showFilm({ item_id, information_field, minutes }) {
  const element = document.createElement('li');
  const link = document.createElement('a');
  link.href = `#/${encodeURIComponent(item_id)}`;
  link.textContent = minutes ? `${information_field} (${minutes} min)` : (information_field ?? item_id);
  element.append(link);
  return element;
}

addEventListener('hashchange', showPage);
showPage();
