// The search box of the site. It needs no network and no server: the index is a script too (search_index.js, written by
// tools/site.sh), which is loaded when the box is first used. Keys: / to the box, arrows through the results, Enter opens,
// Escape closes.
"use strict";

const words = (text) => text.toLowerCase().normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, " ").trim();

// Sections that have all words of the query, best first. A section: [target, page, heading, text].
function find(sections, query) {
  const search = (key) => {
    const phrase = key(words(query)), terms = words(query).split(" ").map(key).filter(Boolean);
    if (!terms.length) return [];
    const score = ([, page, heading, text]) => {
      const [inPage, inHeading, inText] = [page, heading || page, text].map((part) => key(words(part)));
      let sum = inHeading.includes(phrase) ? 40 : inText.includes(phrase) ? 10 : 0;
      for (const term of terms) {
        const hits = inText.split(term).length - 1;
        if (!hits && !inHeading.includes(term) && !inPage.includes(term)) return 0;
        sum += (inHeading.includes(term) ? 10 : 0) + (inPage.includes(term) ? 5 : 0) + Math.min(hits, 5);
      }
      return sum;
    };
    return sections.map((section) => [score(section), section]).filter(([points]) => points)
      .sort(([a], [b]) => b - a).map(([, section]) => section);
  };
  const found = search((text) => text);
  return found.length ? found : search((text) => text.replaceAll(" ", ""));  // "warmup" finds "warm-up"
}

// Some words around the first place in the text that has a word of the query: [before, the word, behind].
function excerpt(text, query) {
  const lower = text.toLowerCase();
  for (const term of [query.trim().toLowerCase(), ...words(query).split(" ")]) {
    const at = term ? lower.indexOf(term) : -1;
    if (at < 0) continue;
    const end = at + term.length, from = Math.max(0, text.lastIndexOf(" ", at - 50) + 1);
    return [(from ? "… " : "") + text.slice(from, at), text.slice(at, end), text.slice(end, end + 90) + " …"];
  }
  return [text.slice(0, 140), "", ""];
}

if (typeof document !== "undefined") {
  const root = document.currentScript.dataset.root;
  const form = document.querySelector(".search"), box = form.querySelector("input"), list = form.querySelector("ol");
  let loading = null;
  const load = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: root + "search_index.js", onload: done, onerror: failed });
    document.head.append(script);
  });

  const element = (name, ...children) => {
    const made = document.createElement(name);
    made.append(...children);
    return made;
  };
  const item = ([target, page, heading, text]) => {
    const [before, match, behind] = excerpt(text, box.value);
    const link = element("a", element("b", heading || page), heading ? " · " + page : "",
      element("span", before, element("mark", match), behind));
    link.href = root + target;
    return element("li", link);
  };
  const show = async () => {
    await load();
    const query = box.value.trim(), found = query.length > 1 ? find(searchIndex, query) : [];
    list.replaceChildren(...found.slice(0, 20).map(item));
    if (query.length > 1 && !found.length) list.append(element("li", "No page has these words."));
    list.hidden = !list.children.length;
  };
  const close = () => { list.hidden = true; };

  form.hidden = false;
  box.addEventListener("focus", load);
  box.addEventListener("input", show);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await show();
    list.querySelector("a")?.click();
  });
  form.addEventListener("focusout", (event) => { if (!form.contains(event.relatedTarget)) close(); });
  form.addEventListener("keydown", (event) => {
    const stops = [box, ...list.querySelectorAll("a")], step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      close();
      box.focus();
    } else if (step) {
      event.preventDefault();
      list.hidden = !list.children.length;
      stops[Math.min(Math.max(stops.indexOf(document.activeElement) + step, 0), stops.length - 1)].focus();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    box.focus();
  });
}
