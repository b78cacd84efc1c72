// The search page: asks the index that Pagefind made of the site.
const N_SHOWN = 20;
const site = new URL("..", import.meta.url);

const status = document.querySelector("#search-status");
const list = document.querySelector("#search-results");

function item(page) {
  const link = document.createElement("a");
  link.href = page.url;
  link.textContent = page.meta.title;
  const excerpt = document.createElement("p");
  excerpt.innerHTML = page.excerpt; // Pagefind has escaped all but its marks

  const li = document.createElement("li");
  li.append(link, excerpt);
  return li;
}

async function search(words) {
  const pagefind = await import(new URL("pagefind/pagefind.js", site));
  await pagefind.options({ baseUrl: site.pathname, excerptLength: 25 });

  const { results } = await pagefind.search(words);
  const pages = await Promise.all(results.slice(0, N_SHOWN).map((result) => result.data()));
  list.replaceChildren(...pages.map(item));

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
