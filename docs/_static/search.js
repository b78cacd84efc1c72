// The search page: asks the index that Pagefind made of the site. Classes and functions of the API come first if the
// words are their name, because a page of the API has dozens of them.
const N_SHOWN = 20;
// words of a question that are on every page
const STOP_WORDS = new Set(
  `a an and are be can could did do does for from how i in is it me my of on or should that the there this to was we were
  what when where which who why will with would you`.split(/\s+/),
);
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

// "layer norm", "LayerNorm" and "layer_norm()" are one name; "label smoothing" are the first words of LabelSmoothingLoss.
function simplified(name) {
  return name.toLowerCase().replace(/[^a-z0-9.]/g, "");
}

async function namesOf(words) {
  const response = await fetch(new URL("_static/api_names.json", site));
  const names = await response.json();
  const asked = simplified(words);
  const exact = names.filter(({ key, name }) => asked === simplified(key) || asked === simplified(name));
  if (exact.length || !/[ _]/.test(words.trim())) return exact;
  return names.filter(({ key }) => simplified(key).startsWith(asked));
}

// Words that are on every page do not count, except next to the others: pages with exactly "hand in" come before those
// with "hand".
async function pagesOf(pagefind, words) {
  const all = words.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? [];
  const counted = all.filter((word) => !STOP_WORDS.has(word));
  if (!counted.length || counted.length === all.length) return (await pagefind.search(words)).results;

  const { results: first } = await pagefind.search(`"${all.join(" ")}"`);
  const { results } = await pagefind.search(counted.join(" "));
  const found = new Set(first.map(({ id }) => id));
  return [...first, ...results.filter(({ id }) => !found.has(id))];
}

async function search(words) {
  const names = await namesOf(words);
  const pagefind = await import(new URL("pagefind/pagefind.js", site));
  await pagefind.options({ baseUrl: site.pathname, excerptLength: 25 });

  const results = await pagesOf(pagefind, words);
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
