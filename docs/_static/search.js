// The search page: asks the index that Pagefind made of the site. Classes and functions of the API come first if the
// words are their name, because a page of the API has dozens of them.
const N_SHOWN = 20;
const site = new URL("..", import.meta.url);

const status = document.querySelector("#search-status");
const list = document.querySelector("#search-results");

function pageItem(page) {
  const excerpt = document.createElement("p");
  excerpt.innerHTML = page.excerpt; // Pagefind has escaped all but its marks
  return item(page.url, page.meta.title, excerpt);
}

function nameItem({ address, name, text }) {
  const excerpt = document.createElement("p");
  excerpt.textContent = text;
  return item(new URL(address, site), name, excerpt);
}

function item(address, title, excerpt) {
  const link = document.createElement("a");
  link.href = address;
  link.textContent = title;
  const li = document.createElement("li");
  li.append(link, excerpt);
  return li;
}

// "layer norm", "LayerNorm" and "layer_norm()" are one name.
function simplified(name) {
  return name.toLowerCase().replace(/[^a-z0-9.]/g, "");
}

async function namesOf(words) {
  const response = await fetch(new URL("_static/api_names.json", site));
  const names = await response.json();
  const asked = simplified(words);
  return names.filter(({ key, name }) => asked === simplified(key) || asked === simplified(name));
}

async function search(words) {
  const names = await namesOf(words);
  const pagefind = await import(new URL("pagefind/pagefind.js", site));
  await pagefind.options({ baseUrl: site.pathname, excerptLength: 25 });

  const { results } = await pagefind.search(words);
  const pages = await Promise.all(results.slice(0, N_SHOWN).map((result) => result.data()));
  list.replaceChildren(...names.map(nameItem), ...pages.map(pageItem));

  const n = results.length;
  status.textContent = n > N_SHOWN ? `${n} pages, of which these fit best` : `Pages: ${n}`;
}

const words = new URLSearchParams(location.search).get("q");
if (words) {
  document.querySelector(".search-words input").value = words;
  status.textContent = "Searching";
  try {
    await search(words);
  } catch (error) {
    status.textContent = "The index cannot be read: the site has to come from a web server.";
    console.error(error);
  }
}
