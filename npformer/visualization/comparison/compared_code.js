// A line that only one of the two recordings has: struck out, or added under it.
function markChange(item, sign) {
  item.classList.add(sign === "+" ? "added" : "removed");
  const code = item.querySelector("code");
  if (!code) return;
  const words = make("span", { class: "spoken" }, sign === "+" ? "only in B: " : "only in A: ");
  const change = make(sign === "+" ? "ins" : "del");
  code.replaceWith(change);
  change.append(words, code);
}
